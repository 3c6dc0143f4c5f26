import { describe, expect, test } from 'vitest'
import { configErrorOf, parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import { writeConfigWarning } from '../config-warning.ts'
import { resolveConfig } from '../resolve-config.ts'
import { readEnvironment } from '../source/environment.ts'

const warningsOf = (yaml: string) => resolve(yaml).warnings.map(writeConfigWarning)
const key = (more: string) => `{ name: ci, secret: 0123456789abcdef, ${more} }`

function resolve(yaml: string) {
  const parsed = parseYamlConfig(yaml)
  return resolveConfig({
    parsed,
    source: { type: 'file', path: 'headgate.yaml' },
    files: { tls: undefined, channels: parsed.channels },
    environment: readEnvironment({}),
    outer: {},
    workingFolder: '/',
  })
}

const channels = 'channels: [{ name: d, provider: demo, models: [gpt-4o, gpt-4o-mini] }]'

describe('invalid limits', () => {
  test.each([
    [
      'a key of a group that is not there',
      `keys: [${key('group: serach')}]\ngroups: { search: {} }`,
      'headgate.yaml:1:53: keys[0].group: there is no group "serach", so the key could use nothing; did you mean "search"?',
    ],
    [
      'a key of a group where there are none',
      `keys: [${key('group: search')}]`,
      'headgate.yaml:1:53: keys[0].group: there is no group "search", so the key could use nothing; add it to "groups", even if only as {}',
    ],
    [
      'two budgets of one name',
      'budgets: [{ name: all, scope: installation, window: day }, { name: all, scope: "model:m", window: day }]',
      'headgate.yaml:1:68: budgets[1].name: is the same as that of budgets[0]; each needs its own',
    ],
    [
      'a multiplier that is no whole number of millionths',
      'groups: { search: { multiplier: 1.0000001 } }',
      'headgate.yaml:1:33: groups.search.multiplier: must be a number from 0 to 1000, such as 1.1, with at most six decimals',
    ],
    [
      'a share of nothing',
      `${channels}\nmodels: { a: { targets: [{ use: d/gpt-4o, weight: 0 }] } }`,
      'headgate.yaml:2:51: models.a.targets[0].weight: must be a number above 0, such as 9',
    ],
    [
      'a tag that is read from the requests',
      `keys: [${key('tags: { end_user: bob }')}]`,
      'headgate.yaml:1:52: keys[0].tags: cannot have "end_user", which is read from each request; see end_user_budget',
    ],
  ])('are refused: %s', (_case, yaml, error) => {
    expect(configErrorOf(yaml)).toBe(error)
  })

  test('a key in an invalid group causes no further error', () => {
    const yaml = `keys: [${key('group: search')}]\ngroups: { search: { rate: 5 } }`
    expect(configErrorOf(yaml)).toBe(
      'headgate.yaml:2:27: groups.search.rate: must be limits such as { rpm: 60, tpm: 100000, concurrency: 8 }',
    )
  })
})

describe('the limits of a configuration', () => {
  test('are read from the file', () => {
    const { groups, users, budgets, rates, ledger, unpriced } = resolve(`${channels}
models: { gpt-4o: { rate: { rpm: 10 } } }
rate: { concurrency: 100 }
groups:
  search:
    models: [gpt-*]
    multiplier: 1.1
    key_defaults: { expires: 90d, models: [gpt-4o], budgets: [{ limit_usd: 1, window: day }] }
users: { alice: { rate: { rpm: 5 } } }
budgets: [{ name: all, scope: "tag:team=search", limit_usd: 1000, window: month, at_limit: refuse }]
ledger: { durability: strict, serve_without_store: 0s, keep: 400d, max_bytes: 10GB }
unpriced: refuse`)
    expect(groups).toMatchObject([
      { name: 'search', multiplierPpm: 1_100_000, keyDefaults: { expiresAfterMs: 90 * 86_400_000 } },
    ])
    expect(groups[0]?.keyDefaults.terms.budgets).toMatchObject([{ limit: 1_000_000_000 }])
    expect(users).toMatchObject([{ name: 'alice', rate: { requestsPerMinute: 5 } }])
    expect(budgets).toMatchObject([{ scope: { type: 'tag', name: 'team', value: 'search' } }])
    expect(rates.installation).toMatchObject({ concurrency: 100 })
    expect(rates.models.get('gpt-4o')).toMatchObject({ requestsPerMinute: 10 })
    expect(ledger).toMatchObject({ durability: 'strict', serveWithoutStoreMs: 0, maxBytes: 10 * 1024 ** 3 })
    expect(unpriced).toBe('refuse')
  })

  test('have defaults when the file sets no limits', () => {
    const { groups, budgets, rates, ledger, unpriced, idempotency } = resolve('{}')
    expect([groups, budgets, rates.installation, rates.models.size]).toEqual([[], [], undefined, 0])
    expect(ledger).toEqual({ durability: 'batched', serveWithoutStoreMs: 600_000 })
    expect([unpriced, idempotency]).toEqual(['serve', { keepMs: 86_400_000, maxBytes: 256 * 1024 ** 2 }])
  })
})

test('a limit that refers to something missing causes a warning', () => {
  const budget = (name: string, more: string) => `{ name: ${name}, ${more}, window: day }`
  const warnings = warningsOf(`${channels}
models: { o3: { rate: { rpm: 1 }, targets: [d/gpt-4o] } }
keys:
  - ${key('models: [qwen*, gpt-*, o4], budgets: [{ window: day, at_limit: fallback, fallback: o3 }]')}
groups: { search: { models: [claude-*] } }
budgets:
  - ${budget('a', 'scope: "group:serach"')}
  - ${budget('b', 'scope: "channel:d"')}
  - ${budget('c', 'scope: "channel:e"')}
  - ${budget('d', 'scope: "model:o5"')}
  - ${budget('e', 'scope: "key:made-elsewhere"')}
  - ${budget('f', 'scope: installation, at_limit: fallback, fallback: o6')}`)
  expect(warnings).toEqual([
    'keys: "ci" is granted "o4", which no channel serves',
    'keys: "ci" is granted "qwen*", which no served model matches',
    'groups: "search" is granted "claude-*", which no served model matches',
    'budgets: "a" stands on group:serach, which is not there',
    'budgets: "c" stands on channel:e, which is not there',
    'budgets: "d" stands on model:o5, which is not there',
    'keys: "ci" falls back to "o3" at its limit, which it is not granted',
    'budgets: "f" falls back to "o6" at its limit, which no channel serves',
  ])
})

test('a grant to a key that its group does not have causes a warning', () => {
  const warnings = warningsOf(`${channels}
keys: [${key('group: search, models: [gpt-4o, gpt-4o-mini, "gpt-4o-*", "*-4o", o4]')}]
groups: { search: { models: [gpt-4o] } }`)
  expect(warnings).toEqual([
    'keys: "ci" is granted "o4", which no channel serves',
    'keys: "ci" is granted "gpt-4o-mini", which its group "search" is not granted',
    'keys: "ci" is granted "gpt-4o-*", which its group "search" is not granted',
  ])
})

describe('models without a price', () => {
  const served = `channels:
  - { name: a, provider: openai, api_key: k, models: [gpt-4o, gpt-4o-mini, mine, other] }
  - { name: b, provider: openai, api_key: k, models: { gpt-4o: my-copy } }`
  const uncounted =
    'models: no price is known for gpt-4o (b/my-copy), mine, other, so what they cost is not counted; give each a "price"'
  const named = (name: string, more: string) => `{ name: ${name}, secret: 0123456789abcdef-${name}, ${more} }`
  const day = 'limit_usd: 1, window: day'

  test('are refused for keys with a spending limit from any budget', () => {
    const warnings = warningsOf(`${served}
keys:
  - ${named('own', `models: [mine, gpt-4o], budgets: [{ ${day} }]`)}
  - ${named('of-user', 'models: [mine], user: ann')}
  - ${named('of-group', 'group: search')}
  - ${named('of-tag', 'models: [mine], tags: { team: ads }')}
  - ${named('watched', `models: [mine], budgets: [{ ${day}, mode: observe }]`)}
  - ${named('counted', 'models: [mine], budgets: [{ limit_usd: unlimited, window: day }]')}
  - ${named('priced', `models: [gpt-4o-mini], budgets: [{ ${day} }]`)}
users: { ann: { budgets: [{ ${day} }] } }
groups: { search: { models: [other], budgets: [{ ${day} }] } }
budgets: [{ name: ads, scope: "tag:team=ads", ${day} }]`)
    expect(warnings.filter((warning) => warning.includes('price'))).toEqual([
      uncounted,
      'models: refused for want of a price, where a limit in money applies: gpt-4o (b/my-copy) to own; mine to own, of-user, of-tag; other to of-group',
    ])
  })

  test('are refused for all keys if the installation, their channel or the model has a spending limit', () => {
    const warnings = warningsOf(`${served}
keys: [${named('plain', 'models: ["*"]')}]
budgets: [{ name: b, scope: "channel:b", ${day} }, { name: m, scope: "model:mine", ${day} }]`)
    expect(warnings).toEqual([
      uncounted,
      'models: refused for want of a price, where a limit in money applies: gpt-4o (b/my-copy) to all keys; mine to all keys',
    ])
  })

  test('are only uncounted if no spending limit applies', () => {
    const warnings = warningsOf(`${served}\nkeys: [${named('plain', 'rate: { rpm: 1 }')}]`)
    expect(warnings).toEqual([uncounted])
  })
})

test('weights of targets that never share traffic cause a warning', () => {
  const warnings = warningsOf(`channels:
  - { name: d, provider: demo, models: [a, b] }
  - { name: e, provider: demo, models: [a], priority: 5 }
models:
  shared: { targets: [{ use: d/a, weight: 9 }, d/b] }
  split: { targets: [{ use: d/a, weight: 9 }, e/a] }
  plain: { targets: [d/a, e/a] }`)
  expect(warnings).toEqual([
    'models: "split" has weights, but its targets share only where their channels have one priority',
  ])
})
