import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { budgetListSchema, budgetSchema } from './budget-schema.ts'
import { rateSchema } from './rate-schema.ts'
import { writeBudget, writeRate } from './write-limits.ts'

describe('a budget', () => {
  test('with only the required fields is exact, clamps, and warns at four percentages', () => {
    expect(budgetSchema.parse({ limit_usd: 5, window: 'day' })).toEqual({
      name: undefined,
      limit: 5_000_000_000,
      window: { type: 'calendar', unit: 'day', timeZone: 'UTC' },
      mode: 'exact',
      atLimit: { type: 'clamp' },
      warnAt: [50, 80, 95, 100],
    })
  })

  test.each([
    [
      'unlimited by the word',
      { limit_usd: 'unlimited', window: 'total' },
      { limit: undefined, window: { type: 'total' } },
    ],
    [
      'unlimited by silence',
      { window: 'rolling 5h' },
      { limit: undefined, window: { type: 'rolling', lengthMs: 18_000_000 } },
    ],
    ['of nothing', { limit_usd: 0, window: 'month' }, { limit: 0 }],
    ['of a nano-dollar', { limit_usd: 0.000000001, window: 'month' }, { limit: 1 }],
    ['of an estimate', { window: 'day', mode: 'estimate' }, { atLimit: { type: 'refuse' } }],
    [
      'with another model at its limit',
      { window: 'day', at_limit: 'fallback', fallback: 'small' },
      { atLimit: { type: 'fallback', model: 'small' } },
    ],
    ['with warnings in any order', { window: 'day', warn_at: [90, 10, 90] }, { warnAt: [10, 90] }],
  ])('%s is parsed', (_case, input, expected) => {
    expect(budgetSchema.parse(input)).toMatchObject(expected)
  })

  test.each([
    [{ limit_usd: 5 }, 'window', 'must be one of'],
    [{ window: 'year' }, 'window', 'must be one of'],
    [{ window: 'rolling 5' }, 'window', 'must be'],
    [{ window: 'rolling 1s' }, 'window', 'must be'],
    [{ window: 'day', limit_usd: -1 }, 'limit_usd', 'US dollars'],
    [{ window: 'day', limit_usd: 1e12 }, 'limit_usd', 'US dollars'],
    [{ window: 'day', limit_usd: 0.0000000001 }, 'limit_usd', 'US dollars'],
    [{ window: 'day', limit_usd: 'lots' }, 'limit_usd', 'US dollars'],
    [{ window: 'day', time_zone: 'Mars/Olympus' }, 'time_zone', 'must be a time zone'],
    [{ window: 'total', time_zone: 'UTC' }, 'time_zone', 'has no effect'],
    [{ window: 'rolling 5h', time_zone: 'UTC' }, 'time_zone', 'has no effect'],
    [{ window: 'day', mode: 'observe', at_limit: 'refuse' }, 'at_limit', 'has no effect'],
    [{ window: 'day', mode: 'estimate', at_limit: 'clamp' }, 'at_limit', 'cannot be "clamp"'],
    [{ window: 'day', at_limit: 'fallback' }, 'fallback', 'is missing'],
    [{ window: 'day', fallback: 'small' }, 'fallback', 'has no effect'],
    [{ window: 'day', warn_at: [0] }, 'warn_at', 'percent'],
    [{ window: 'day', name: 'a/b' }, 'name', 'must be'],
  ])('%j is refused at %s', (input, field, words) => {
    const { issues } = budgetSchema.safeParse(input).error ?? { issues: [] }
    expect(issues.map(({ path, message }) => [path[0], message])).toEqual([
      [field, expect.stringContaining(words)],
    ])
  })

  test('survives writing and parsing, to the nano-dollar', () => {
    const calendar = fc.record({
      window: fc.constantFrom('minute', 'hour', 'day', 'week', 'month'),
      time_zone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
    })
    const other = fc.record({ window: fc.constantFrom('total', 'rolling 5h', 'rolling 1.5d', 'rolling 61s') })
    const nanoDollars = fc.integer({ min: 0, max: 9_000_000_000 })
    const input = fc.tuple(fc.oneof(calendar, other), nanoDollars, fc.constantFrom('clamp', 'refuse'))
    fc.assert(
      fc.property(input, ([window, nano, at_limit]) => {
        const budget = budgetSchema.parse({ ...window, limit_usd: nano / 1e9, at_limit })
        expect(budget.limit).toBe(nano)
        expect(budgetSchema.parse(writeBudget(budget))).toEqual(budget)
      }),
    )
  })
})

test('budgets of one key need names if their windows are the same', () => {
  const day = { window: 'day' }
  const { error } = budgetListSchema.safeParse([day, { window: 'month' }, { ...day, limit_usd: 1 }])
  expect(error?.issues).toMatchObject([{ path: [2, 'name'], message: expect.stringContaining('"day"') }])
  expect(budgetListSchema.parse([day, { ...day, name: 'spree' }])).toHaveLength(2)
})

describe('a rate', () => {
  test('survives writing and parsing', () => {
    const rate = rateSchema.parse({
      rpm: 60,
      tpm: 100_000,
      input_tpm: 5,
      concurrency: 8,
      burst: 3,
      wait: '5s',
    })
    expect(rate && rateSchema.parse(writeRate(rate))).toEqual(rate)
    expect(rate).toMatchObject({ requestsPerMinute: 60, outputTokensPerMinute: undefined, waitMs: 5_000 })
  })

  test('without any limit is ignored', () => {
    expect(rateSchema.parse({})).toBe(undefined)
    expect(rateSchema.parse({ wait: '5s' })).toBe(undefined)
  })

  test.each([[{ rpm: 0 }], [{ tpm: 1.5 }], [{ burst: 5, tpm: 10 }], [{ rpm: 1, wait: '1h' }], [{ rps: 1 }]])(
    '%j is refused',
    (input) => {
      expect(rateSchema.safeParse(input).success).toBe(false)
    },
  )
})
