import { expect, it } from 'vitest'
import { rotationLines } from '../console/src/pages/keys/key-lines.ts'
import { dimensionsOf } from '../console/src/pages/usage/usage-search.ts'
import { boundsOf } from '../console/src/time/spans.ts'
import type { KeyView } from '../src/admin/keys/key-contract.ts'

const HOUR_MS = 3_600_000

it('yesterday is the whole previous day in the time zone of the viewer', () => {
  const now = new Date(2026, 5, 10, 15, 30).getTime()
  const { since, until } = boundsOf({ since: 'yesterday', until: undefined }, now)
  expect(since).toBe(new Date(2026, 5, 9).toISOString())
  expect(until).toBe(new Date(2026, 5, 10).toISOString())
})

it('a span goes back from now, and a moment stays unchanged', () => {
  const now = Date.parse('2026-06-10T15:30:00Z')
  expect(boundsOf({ since: '1h', until: undefined }, now)).toEqual({
    since: new Date(now - HOUR_MS).toISOString(),
    until: undefined,
  })
  expect(boundsOf({ since: 'never', until: '2026-06-10T12:00:00Z' }, now)).toEqual({
    since: undefined,
    until: '2026-06-10T12:00:00.000Z',
  })
})

it('a report by a subject has one row for each, and one by time is split by model as well', () => {
  expect(dimensionsOf({ by: 'group' })).toEqual(['group'])
  expect(dimensionsOf({ by: 'group', and: 'model' })).toEqual(['group', 'model'])
  expect(dimensionsOf({})).toEqual(['day', 'model'])
})

it('the example key for the file has a second one with the same fields and another secret', () => {
  const key: KeyView = {
    id: 'key_1',
    name: 'ci',
    hint: '',
    models: ['*'],
    user: null,
    group: 'search',
    dry_run: false,
    allow_ips: [],
    expires_at: null,
    status: 'active',
    revoked_at: null,
    created_at: '2026-06-10T15:30:00.000Z',
    last_used_at: null,
    previous_secret_until: null,
    budgets: [],
    rate: null,
    tags: {},
    caller_tags: false,
    end_user_budget: null,
    passthrough: [],
    origin: 'bootstrap',
    capture: 'off',
    warnings: [],
    warning_facts: [],
  }
  expect(rotationLines(key)).toEqual({
    keys: [
      { name: 'ci', secret: `\${CI_KEY}`, models: ['*'], group: 'search' },
      { name: 'ci-next', secret: `\${CI_NEXT_KEY}`, models: ['*'], group: 'search' },
    ],
  })
})
