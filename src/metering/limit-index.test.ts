import { describe, expect, test } from 'vitest'
import { openCaller } from '../../test/support/key-terms.ts'
import { groupsSchema, usersSchema } from '../access/group-schema.ts'
import { budgetListSchema, budgetSchema } from '../access/limits/budget-schema.ts'
import { rateSchema } from '../access/limits/rate-schema.ts'
import type { NanoDollars } from '../canonical/money.ts'
import { brand } from '../kit/brand.ts'
import { installationBudgetsSchema } from './budgets/installation-budget-schema.ts'
import type { GrantId } from './credit-store.ts'
import { CreditBudgets } from './credits/credit-budget.ts'
import { createLimitIndex } from './limit-index.ts'
import type { AppliedBudget } from './meter.ts'

const budgetOf = (name: string, scope: string) => ({ name, scope, limit_usd: 1, window: 'month' })

function open(scopes: Readonly<Record<string, string>> = {}) {
  const entries = Object.entries(scopes).map(([name, scope]) => budgetOf(name, scope))
  const modelRate = rateSchema.parse({ rpm: 4 })
  return createLimitIndex({
    groups: groupsSchema.parse({
      search: { budgets: [{ limit_usd: 9, window: 'day' }], rate: { rpm: 2 } },
      other: { budgets: [{ window: 'day' }], rate: { rpm: 20 } },
    }),
    users: usersSchema.parse({ alice: { budgets: [{ window: 'week' }], rate: { rpm: 3 } } }),
    budgets: installationBudgetsSchema.parse(entries),
    rates: {
      installation: rateSchema.parse({ concurrency: 5 }),
      models: new Map(modelRate === undefined ? [] : [['gpt-4o', modelRate]]),
    },
  })
}

const caller = {
  ...openCaller,
  user: 'alice',
  group: 'search',
  budgets: budgetListSchema.parse([{ window: 'day' }, { name: 'spree', window: 'rolling 5h' }]),
  endUserBudget: budgetSchema.parse({ window: 'day' }),
  rate: rateSchema.parse({ rpm: 1 }),
}

const namesOf = (applied: readonly AppliedBudget[]) =>
  applied.map(({ budget, tagValue }) => (tagValue === undefined ? budget.name : `${budget.name} ${tagValue}`))

describe('the budgets of a caller', () => {
  test('are those of its key, its user and its group', () => {
    const index = open({ ours: 'key:ci', theirs: 'key:other', alice: 'user:alice', team: 'group:search' })
    expect(namesOf(index.callerBudgets(caller, {}))).toEqual([
      'key:ci/day',
      'key:ci/spree',
      'ours',
      'alice',
      'user:alice/week',
      'team',
      'group:search/day',
    ])
  })

  test('include those of its tags, both of one value and of every value', () => {
    const index = open({
      search: 'tag:team=search',
      ads: 'tag:team=ads',
      each: 'tag:team',
      model: 'model:gpt-4o',
    })
    expect(namesOf(index.callerBudgets(openCaller, { team: 'search', region: 'eu' }))).toEqual([
      'search',
      'each search',
    ])
    expect(namesOf(index.callerBudgets(openCaller, {}))).toEqual([])
  })

  test('include one for each customer that the request names', () => {
    const index = open({ all: 'tag:end_user' })
    const budgets = index.callerBudgets(
      { ...caller, budgets: [], user: undefined, group: undefined },
      { end_user: 'bob' },
    )
    expect(namesOf(budgets)).toEqual(['all bob', 'key:ci/end_user/day bob'])
  })

  test('have unique ids that do not depend on the limit', () => {
    const idsOf = (limit: number) =>
      open({ ours: 'key:ci', 'key_1.day': 'key:key_1/day' })
        .callerBudgets(
          {
            ...caller,
            keyName: 'key_1/day',
            budgets: caller.budgets.map((each) => ({ ...each, limit: undefined })),
          },
          { end_user: String(limit) },
        )
        .map(({ budget }) => budget.id)
    expect(idsOf(1)).toEqual(idsOf(2))
    expect(new Set(idsOf(1)).size).toBe(idsOf(1).length)
  })
})

test('the budgets of a caller include its credits, from the next request on', () => {
  const credits = new CreditBudgets()
  const index = createLimitIndex(
    { groups: [], users: [], budgets: [], rates: { installation: undefined, models: new Map() } },
    credits,
  )
  expect(index.callerBudgets(openCaller, {})).toEqual([])
  credits.add({
    id: brand<GrantId>('grant_1'),
    scope: { type: 'key', name: openCaller.keyId },
    amount: brand<NanoDollars>(5),
    reason: '',
    author: '',
    atMs: 0,
    expiresAtMs: undefined,
    codeId: undefined,
  })
  expect(namesOf(index.callerBudgets(openCaller, {}))).toEqual([`credit:key:${openCaller.keyId}`])
})

test('the budgets of a target are those of the public name, the channel and the installation', () => {
  const index = open({ all: 'installation', gpt: 'model:gpt-4o', first: 'channel:first', ci: 'key:ci' })
  expect(namesOf(index.targetBudgets('gpt-4o', 'first'))).toEqual(['gpt', 'first', 'all'])
  expect(namesOf(index.targetBudgets('gpt-4o', 'second'))).toEqual(['gpt', 'all'])
  expect(namesOf(index.targetBudgets('o3', 'second'))).toEqual(['all'])
})

test('the rate limits are those of the key, its user, its group, the installation and the public name', () => {
  const limits = open().rateLimits(caller, 'gpt-4o')
  expect(limits.map(({ name, terms }) => [name, terms.requestsPerMinute])).toEqual([
    ['key:ci', 1],
    ['user:alice', 3],
    ['group:search', 2],
    ['installation', undefined],
    ['model:gpt-4o', 4],
  ])
  expect(
    open()
      .rateLimits(openCaller, 'o3')
      .map(({ name }) => name),
  ).toEqual(['installation'])
})

test('a caller without tags gets the same list each time, so that no request builds one', () => {
  const index = open({ all: 'installation', each: 'tag:team' })
  expect(index.callerBudgets(caller, {})).toBe(index.callerBudgets(caller, {}))
  expect(index.targetBudgets('a', 'b')).toBe(index.targetBudgets('a', 'b'))
  expect(index.rateLimits(caller, 'a')).toBe(index.rateLimits(caller, 'a'))
})

test.each([
  '',
  'team:search',
  'group:',
  'model:',
  'tag:',
  'tag:Team',
  'tag:team=',
  'installation:x',
  'channel',
])('the scope "%s" is refused', (scope) => {
  const { error } = installationBudgetsSchema.safeParse([budgetOf('x', scope)])
  expect(error?.issues).toMatchObject([
    { path: [0, 'scope'], message: expect.stringContaining('must be installation') },
  ])
})
