import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareState, compareValues } from '../../../test/support/compared-state.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Comparison } from './comparison.ts'
import type { Effect } from './effect-contract.ts'
import { findEffects } from './find-effects.ts'

function textsOf(before: JsonObject, after: JsonObject, spentUsd = {}): readonly string[] {
  return findEffects(compareValues(before, after, spentUsd)).effects.map(
    ({ severity, text }) => `${severity}: ${text}`,
  )
}

const channel = (name: string, models: readonly string[], more: JsonObject = {}): JsonObject => ({
  name,
  provider: 'openai-compatible',
  base_url: `https://${name}.example/v1`,
  models,
  ...more,
})
const key = (name: string, models: readonly string[], more: JsonObject = {}): JsonObject => ({
  name,
  secret: `secret-of-${name}-0123456789`,
  models,
  ...more,
})
/** Prices are stated, since the price table changes from release to release. */
const priced = (input: number, output: number): JsonObject => ({ price: { input, output } })

// What is generated: two channels, aliases of theirs, groups, and keys with grants of every form.
const modelNames = ['m1', 'm2', 'x1', 'x2'] as const
const grantWords = ['*', 'm*', '*2', 'a*', ...modelNames, 'alias', 'unknown'] as const
const grant = fc.uniqueArray(fc.constantFrom(...grantWords), { minLength: 1, maxLength: 3 })
const models = fc.uniqueArray(fc.constantFrom(...modelNames), { minLength: 1, maxLength: 4 })
const groupName = fc.constantFrom('g1', 'g2', 'gone')
const configuration = fc
  .record({
    one: fc.record({ models, disabled: fc.boolean(), weight: fc.integer({ min: 1, max: 9 }) }),
    two: fc.record({ models, disabled: fc.boolean(), priority: fc.integer({ min: 0, max: 1 }) }),
    alias: fc.option(fc.subarray(['one', 'two'], { minLength: 1 })),
    groups: fc.record({ g1: grant, g2: grant }, { requiredKeys: [] }),
    attempts: fc.integer({ min: 1, max: 5 }),
    rpm: fc.option(fc.integer({ min: 1, max: 9 })),
  })
  .map(
    ({ one, two, alias, groups, attempts, rpm }): JsonObject => ({
      channels: [
        channel('one', one.models, { disabled: one.disabled, weight: one.weight }),
        channel('two', two.models, { disabled: two.disabled, priority: two.priority }),
      ],
      ...(alias !== null && {
        models: {
          alias: { targets: alias.map((name) => `${name}/${(name === 'one' ? one : two).models[0]}`) },
        },
      }),
      groups: Object.fromEntries(
        Object.entries(groups).map(([name, granted]) => [name, { models: granted ?? [] }]),
      ),
      retry: { attempts },
      ...(rpm !== null && { rate: { rpm } }),
    }),
  )
const keys = fc.tuple(
  ...['k1', 'k2', 'k3', 'k4', 'k5'].map((name) =>
    fc
      .record({ models: grant, group: fc.option(groupName, { nil: undefined }) })
      .map(({ models: granted, group }) => key(name, granted, group === undefined ? {} : { group })),
  ),
)

const keyFile = (all: readonly JsonObject[]): JsonObject => ({
  groups: { g1: {}, g2: {}, gone: {} },
  keys: all,
})

function compareFor(one: JsonObject, other: JsonObject, all: readonly JsonObject[]): Comparison {
  const [before, after] = [compareState(one, keyFile(all)), compareState(other, keyFile(all))]
  return { ...compareValues({}, {}), before, after }
}

/** By the words of the configuration alone: what each key may use, name by name. */
function listUsable(value: JsonObject, all: readonly JsonObject[]): ReadonlyMap<string, ReadonlySet<string>> {
  const {
    channels,
    models: entries = {},
    groups,
    keys,
  } = JSON.parse(JSON.stringify({ ...value, keys: all })) as {
    channels: { name: string; models: string[]; disabled: boolean }[]
    models?: Record<string, { targets: string[] }>
    groups: Record<string, { models: string[] }>
    keys: { name: string; models: string[]; group?: string }[]
  }
  const live = channels.filter(({ disabled }) => !disabled)
  const served = new Set(live.flatMap((each) => each.models))
  for (const [name, { targets }] of Object.entries(entries))
    if (targets.some((target) => live.some((each) => target.startsWith(`${each.name}/`)))) served.add(name)
  const allows = (words: readonly string[], name: string) =>
    words.some((word) => new RegExp(`^${word.replaceAll('*', '.*')}$`).test(name))
  const usable = keys.map(({ name, models: granted, group }) => {
    const most = group === undefined ? ['*'] : (groups[group]?.models ?? [])
    const names = [...served].filter((each) => allows(granted, each) && allows(most, each))
    return [name, new Set(names)] as const
  })
  return new Map(usable)
}

function pairsOf(effects: readonly Effect[], type: 'access_lost' | 'access_gained'): readonly string[] {
  return effects
    .flatMap((effect) => (effect.type === type && effect.holders === 'keys' ? [effect] : []))
    .flatMap(({ who, models: names }) => {
      expect([who.more, names.more]).toEqual([0, 0])
      return who.names.flatMap((name) => names.names.map((model) => `${name} ${model}`))
    })
    .toSorted()
}

function missingIn(
  from: ReadonlyMap<string, ReadonlySet<string>>,
  other: ReadonlyMap<string, ReadonlySet<string>>,
): readonly string[] {
  return [...from]
    .flatMap(([name, names]) =>
      [...names].filter((model) => other.get(name)?.has(model) !== true).map((model) => `${name} ${model}`),
    )
    .toSorted()
}

describe('for any two configurations', () => {
  it('equal configurations have no effects', () => {
    fc.assert(
      fc.property(configuration, keys, (value, all) => {
        const before = compareState(value, keyFile(all))
        const after = compareState(JSON.parse(JSON.stringify(value)), keyFile(all))
        expect(findEffects({ ...compareValues({}, {}), before, after })).toEqual({
          effects: [],
          more_effects: 0,
        })
      }),
      { numRuns: 100 },
    )
  })

  it('exactly the model names that a key loses or gains are found', () => {
    fc.assert(
      fc.property(configuration, configuration, keys, (one, other, all) => {
        const { effects } = findEffects(compareFor(one, other, all))
        const [had, has] = [listUsable(one, all), listUsable(other, all)]
        expect(pairsOf(effects, 'access_lost')).toEqual(missingIn(had, has))
        expect(pairsOf(effects, 'access_gained')).toEqual(missingIn(has, had))
      }),
      { numRuns: 300 },
    )
  })

  it('the access lost in one direction is gained in the other', () => {
    fc.assert(
      fc.property(configuration, configuration, keys, (one, other, all) => {
        const forth = findEffects(compareFor(one, other, all)).effects
        const back = findEffects(compareFor(other, one, all)).effects
        expect(pairsOf(forth, 'access_lost')).toEqual(pairsOf(back, 'access_gained'))
        expect(forth.filter(({ type }) => type === 'models_unserved')).toHaveLength(
          back.filter(({ type }) => type === 'models_served').length,
        )
      }),
      { numRuns: 100 },
    )
  })
})

describe('the effects in words', () => {
  const keysOf = (names: readonly string[]) => names.map((name) => key(name, ['*']))

  it('a model removed from its channel is lost by the named keys and served by no channel', () => {
    const all = { keys: [...keysOf(['ci', 'app', 'web']), key('other', ['o3'])] }
    const before = { ...all, channels: [channel('a', ['gpt-4o', 'o3'])] }
    expect(textsOf(before, { ...all, channels: [channel('a', ['o3'])] })).toEqual([
      'breaks: 3 keys lose gpt-4o: ci, app, web',
      'breaks: No channel serves gpt-4o any more',
    ])
  })

  it('long lists name the first twelve and count the others', () => {
    const names = Array.from({ length: 24 }, (_, index) => `key-${index}`)
    const before = { keys: keysOf(names), channels: [channel('a', ['m', 'n'])] }
    const [first] = textsOf(before, { ...before, channels: [channel('a', ['n'])] })
    expect(first).toBe(`breaks: 24 keys lose m: ${names.slice(0, 12).join(', ')} and 12 more`)
  })

  it('a new weight in an alias changes the traffic shares', () => {
    const channels = [channel('openai', ['gpt-4o']), channel('anthropic', ['haiku'])]
    const alias = (weight: number) => ({
      channels,
      models: { fast: { targets: [{ use: 'openai/gpt-4o', weight }, 'anthropic/haiku'] } },
    })
    expect(textsOf(alias(9), alias(1))).toEqual([
      'changes: fast: openai/gpt-4o 90 % → 50 %, anthropic/haiku 10 % → 50 %',
    ])
  })

  it('requests go first to a channel of higher priority', () => {
    const one = channel('one', ['m'])
    const before = { channels: [one] }
    expect(textsOf(before, { channels: [one, channel('two', ['m'], { priority: 5 })] })).toEqual([
      'changes: m: requests go to two first, not to one',
      'adds: Channel added: two',
    ])
  })

  it('a fallback is shown as a reserve', () => {
    const channels = [channel('a', ['m', 'n'])]
    expect(textsOf({ channels }, { channels, models: { m: { fallback: ['n'] } } })).toEqual([
      'changes: m: n in reserve',
    ])
  })

  it('a disabled channel and a channel with a new address are named, and their keys are never shown', () => {
    const before = { channels: [channel('a', ['m'], { api_key: 'sk-first-0001' }), channel('b', ['m'])] }
    const after = {
      channels: [
        channel('a', ['m'], { api_key: 'sk-other-0002', base_url: 'https://elsewhere.example/v1' }),
        channel('b', ['m'], { disabled: true }),
      ],
    }
    const texts = textsOf(before, after)
    expect(texts).toEqual([
      'changes: m: a 50 % → 100 %, b 50 % → –',
      'changes: Channel disabled: b',
      'changes: The channel a works by other settings: base_url, api_key',
    ])
    expect(JSON.stringify(findEffects(compareValues(before, after)))).not.toMatch(/sk-/)
  })

  it('price changes are shown by class in percent', () => {
    const channels = [channel('a', ['m'])]
    const before = { channels, models: { m: priced(2, 10) } }
    expect(textsOf(before, { channels, models: { m: priced(2.5, 9) } })).toEqual([
      'changes: Price of m: input +25 % ($2 → $2.5), output -10 % ($10 → $9)',
    ])
    expect(textsOf(before, { channels })).toEqual(['changes: No price is known any more: m'])
    expect(textsOf({ channels }, { channels, unpriced: 'refuse' })).toEqual([
      'breaks: Refused, because without a price: m',
      'changes: Setting unpriced: – → refuse',
    ])
  })

  it('a budget below the amount already spent is breaking, and a budget above it is a change', () => {
    const budget = (limit: number) => ({
      budgets: [{ name: 'all', scope: 'installation', limit_usd: limit, window: 'month' }],
    })
    expect(textsOf(budget(100), budget(10), { all: 12.5 })).toEqual([
      'breaks: The budget all refuses at once: $12.5 are spent, and the limit is $10',
      'changes: The budget all: $100 → $10',
    ])
    expect(textsOf(budget(100), budget(20), { all: 12.5 })).toEqual(['changes: The budget all: $100 → $20'])
    // It refused before.
    expect(textsOf(budget(12), budget(10), { all: 12.5 })).toEqual(['changes: The budget all: $12 → $10'])
  })

  it('changes to the budgets, rates and multiplier of a group name the group', () => {
    const group = (more: JsonObject) => ({ groups: { search: { models: ['*'], ...more } } })
    expect(
      textsOf(
        group({ rate: { rpm: 60 } }),
        group({
          rate: { rpm: 6, concurrency: 2 },
          multiplier: 1.5,
          budgets: [{ limit_usd: 5, window: 'day' }],
        }),
      ),
    ).toEqual([
      'changes: New budget group:search/day: $5',
      'changes: Rate limit of group:search: rpm 60 → 6, concurrency – → 2',
      'changes: Keys of the group search are charged 1.5 times the cost, not 1 times',
    ])
  })

  it('a group that loses a model is named with its keys', () => {
    const channels = [channel('a', ['m', 'n'])]
    const state = (granted: string[]) => ({
      channels,
      groups: { search: { models: granted } },
      keys: [key('app', ['*'], { group: 'search' }), key('free', ['*'])],
    })
    expect(textsOf(state(['*']), state(['n']))).toEqual([
      'breaks: The key app loses m',
      'breaks: The group search loses m',
    ])
  })

  it('the secrets of an alert receiver are never shown', () => {
    const alerts = (secret: string) => ({
      alerts: {
        receivers: [{ name: 'ops', url: `https://hooks.example/services/${secret}`, type: 'slack' }],
      },
    })
    const comparison = compareValues(alerts('T000-first-hook-0001'), alerts('T000-other-hook-0002'))
    const { effects } = findEffects(comparison)
    expect(effects).toMatchObject([{ type: 'setting', setting: 'alerts' }])
    expect(JSON.stringify(effects)).not.toMatch(/first-hook|other-hook/)
  })

  it('the entries of a list in a setting are named with their changed fields', () => {
    const alerts = (rules: readonly JsonObject[]) => ({ alerts: { rules: [...rules] } })
    expect(
      textsOf(
        alerts([{ name: 'slow', kind: 'latency', above: '5s' }]),
        alerts([
          { name: 'slow', kind: 'latency', above: '9s', channels: ['a', 'b'] },
          { kind: 'disk', off: true },
        ]),
      ),
    ).toEqual([
      'changes: Setting alerts: rules.slow.above 5s → 9s, rules.slow.channels – → a, b, rules.disk.off – → true',
    ])
  })

  it('settings are named by field, and those that need a restart are listed separately', () => {
    expect(
      textsOf({ retry: { attempts: 3 } }, { retry: { attempts: 5 }, queue: 'off', listen: '127.0.0.1:9' }),
    ).toEqual([
      'changes: Setting retry: attempts 3 → 5',
      'changes: Setting queue: – → off',
      'changes: After a restart only: listen',
    ])
  })
})

it('ten thousand keys and two thousand models are compared within a second', () => {
  const many = Array.from({ length: 2_000 }, (_, index) => `model-${index}`)
  const before = compareState({ channels: [channel('a', many)] })
  const after = compareState({ channels: [channel('a', many.slice(1_000))] })
  const [template] = compareState({ keys: [key('k', ['*'])] }).keys
  if (template === undefined) throw new Error('there is no key')
  const all = Array.from({ length: 10_000 }, (_, index) => ({
    ...template,
    name: `k-${index}`,
    id: `k-${index}` as never,
  }))
  const comparison = compareValues({}, {})
  const startedAtMs = performance.now()
  const { effects } = findEffects({
    ...comparison,
    before: { ...before, keys: all },
    after: { ...after, keys: all },
  })
  expect(performance.now() - startedAtMs).toBeLessThan(1_000)
  expect(effects[0]).toMatchObject({ type: 'access_lost', who: { more: 9_988 }, models: { more: 988 } })
})
