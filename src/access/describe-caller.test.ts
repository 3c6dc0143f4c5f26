import { createSecretKey } from 'node:crypto'
import { expect, test } from 'vitest'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { openTerms } from '../../test/support/key-terms.ts'
import { systemRandom } from '../kit/random/random.ts'
import { groupsSchema } from './group-schema.ts'
import type { KeyTerms } from './key.ts'
import { createKeyRegistry } from './key-registry.ts'
import { makeKey } from './make-key.ts'
import { permits, readGrant } from './permission.ts'

const maker = { pepper: createSecretKey(Buffer.alloc(32, 7)), clock: createFakeClock(), random: systemRandom }

function open(terms: Partial<KeyTerms>, groups: Readonly<Record<string, object>>) {
  const secret = 'a secret of a test'
  const key = makeKey({ terms: { ...openTerms, ...terms }, secret, hint: '', origin: 'made' }, maker)
  const registry = createKeyRegistry({ ...maker, keys: [key] })
  registry.changeGroups(groupsSchema.parse(groups))
  const authenticate = () =>
    registry.authenticate({ headers: { 'x-api-key': secret }, queryKey: undefined, address: '192.0.2.1' })
  const mayUse = (...names: readonly string[]) =>
    names.filter((name) => permits(authenticate().permission, name))
  return { registry, authenticate, mayUse }
}

test.each([
  ['all of both', ['*'], ['*'], ['a', 'b1', 'b2']],
  ['what its group has', ['*'], ['a'], ['a']],
  ['what itself has', ['b*'], ['*'], ['b1', 'b2']],
  ['what both have', ['a', 'b*'], ['*1', 'a'], ['a', 'b1']],
  ['nothing where they share nothing', ['a'], ['b*'], []],
])('a key in a group may use %s', (_case, ofKey, ofGroup, expected) => {
  const { mayUse } = open({ group: 'search', permission: readGrant(ofKey) }, { search: { models: ofGroup } })
  expect(mayUse('a', 'b1', 'b2')).toEqual(expected)
})

test('a key whose group does not exist may use no model until the group is created', () => {
  const { registry, mayUse } = open({ group: 'serach' }, { search: {} })
  expect(mayUse('a')).toEqual([])
  registry.changeGroups(groupsSchema.parse({ serach: {} }))
  expect(mayUse('a')).toEqual(['a'])
})

test('a key resolves to the same caller object until its group changes', () => {
  const { registry, authenticate } = open({ group: 'search' }, { search: { multiplier: 1.1 } })
  const before = authenticate()
  expect(before.multiplierPpm).toBe(1_100_000)
  expect(authenticate()).toBe(before)
  registry.changeGroups(groupsSchema.parse({ search: { multiplier: 0 } }))
  expect(authenticate().multiplierPpm).toBe(0)
})
