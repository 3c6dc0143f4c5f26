import { expect, it } from 'vitest'
import { openTerms } from '../../../test/support/key-terms.ts'
import { describeTerms } from '../../access/describe-terms.ts'
import { describeChanges } from '../../config/layers/describe-changes.ts'
import { readFact } from './audit-fact.ts'

it('each term of a key is a fact of its own', () => {
  const described = describeTerms({
    ...openTerms,
    user: 'ann',
    group: 'search',
    expiresAtMs: 0,
    dryRun: true,
    callerTags: true,
    disabled: true,
    tags: { team: 'a: b' },
    passthrough: ['openai'],
  })
  const facts = described.map(readFact)
  expect(facts.filter(({ kind }) => kind === 'text')).toEqual([])
  expect(facts).toContainEqual({ kind: 'name', gone: false, values: { value: 'ci' } })
  expect(facts).toContainEqual({ kind: 'tag', gone: false, values: { name: 'team', value: 'a: b' } })
  expect(facts).toContainEqual({
    kind: 'expires_at',
    gone: false,
    values: { at: '1970-01-01T00:00:00.000Z' },
  })
})

it('each change of the configuration is a fact of its own', () => {
  const channel = { name: 'a', provider: 'openai', weight: 1 }
  const before = { channels: [channel], retry: { attempts: 3 } }
  const after = {
    channels: [
      { ...channel, weight: 2 },
      { ...channel, name: 'b' },
    ],
    retry: { attempts: 5 },
  }
  expect(describeChanges(before, after).map(readFact)).toEqual([
    {
      kind: 'object_changed',
      gone: false,
      values: { object: 'channel', name: 'a', field: 'weight', before: '1', after: '2' },
    },
    {
      kind: 'setting_changed',
      gone: false,
      values: { name: 'retry', field: 'attempts', before: '3', after: '5' },
    },
    { kind: 'object_added', gone: false, values: { object: 'channel', name: 'b' } },
  ])
})

it('what a key no longer has is known by its fact', () => {
  expect(readFact('no longer group: search')).toEqual({
    kind: 'group',
    gone: true,
    values: { value: 'search' },
  })
})

it('a sentence that no pattern knows stays a text', () => {
  const text = 'no longer known to anyone'
  expect(readFact(text)).toEqual({ kind: 'text', gone: false, values: { text } })
})
