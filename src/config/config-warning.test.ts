import { expect, it, onTestFinished, vi } from 'vitest'
import { readIdentity } from '../../test/support/certificate.ts'
import { parseYamlConfig } from '../../test/support/parse-yaml-config.ts'
import { type ConfigWarning, writeConfigWarning } from './config-warning.ts'
import { resolveConfig } from './resolve-config.ts'
import { readEnvironment } from './source/environment.ts'

const demo = 'channels: [{ name: d, provider: demo, models: [m] }]'
const channelAt = (name: string, url: string, more: string) =>
  `{ name: ${name}, provider: openai-compatible, base_url: "${url}", api_key: k, models: [m], ${more} }`
const twoPriorities = `models: { m: { price: { input: 1, output: 1 } }, all: { targets: [{ use: a/m, weight: 9 }, { use: b/m, weight: 1 }] } }
channels: [${channelAt('a', 'https://a.example/v1', 'priority: 1')}, ${channelAt('b', 'https://b.example/v1', 'priority: 2')}]`
const unpriced = `channels: [${channelAt('a', 'https://a.example/v1', '')}]`
const absent = 'budgets: [{ name: all, scope: "group:gone", limit_usd: 1, window: day }]'
const unserved =
  'models: { o: { rate: { rpm: 5 } } }\nchannels: [{ name: d, provider: demo, models: [m] }, { name: e, provider: demo, models: [o], disabled: true }]'
const limited = 'budgets: [{ limit_usd: 1, window: day }]'
const keyWith = (more: string) => `keys: [{ name: ci, secret: 0123456789abcdef, ${more} }]`

it.each<[string, string, readonly ConfigWarning[]]>([
  ['nothing to serve', 'listen: 127.0.0.1:8080', [{ kind: 'no_channels', values: {} }]],
  [
    'a listener that others can reach',
    `listen: 0.0.0.0:8080\nadmin: off\n${demo}`,
    [
      { kind: 'admin_off', values: {} },
      { kind: 'unencrypted_listener', values: {} },
    ],
  ],
  [
    'a channel over http',
    `models: { m: { price: { input: 1, output: 1 } } }\nchannels: [${channelAt('a', 'http://a.example/v1', '')}]`,
    [{ kind: 'unencrypted_channel', values: { channel: 'a' } }],
  ],
  ['weights over two priorities', twoPriorities, [{ kind: 'split_weights', values: { model: 'all' } }]],
  [
    'a budget of nothing',
    `${demo}\n${absent}`,
    [{ kind: 'absent_scope', values: { budget: 'all', scope: 'group:gone' } }],
  ],
  ['a rate limit of nothing', unserved, [{ kind: 'unserved_rate', values: { model: 'o' } }]],
  [
    'no price, where one is needed',
    `unpriced: refuse\n${unpriced}`,
    [{ kind: 'unpriced_refused', values: { models: ['m'] } }],
  ],
  [
    'no price and a key that has a limit in money',
    `${unpriced}\n${keyWith(`models: [m], ${limited}`)}`,
    [
      { kind: 'unpriced_uncounted', values: { models: ['m'] } },
      { kind: 'refused_for_price', values: { refusals: [{ model: 'm', keys: ['ci'] }] } },
    ],
  ],
  [
    'no price and a limit in money of everyone',
    `${unpriced}\nbudgets: [{ name: all, scope: installation, limit_usd: 1, window: day }]`,
    [
      { kind: 'unpriced_uncounted', values: { models: ['m'] } },
      { kind: 'refused_for_price', values: { refusals: [{ model: 'm', keys: undefined }] } },
    ],
  ],
  [
    'a grant of nothing',
    `${demo}\n${keyWith('models: [gone, "qwen*"]')}`,
    [
      { kind: 'unserved_model', values: { object: 'keys', owner: 'ci', model: 'gone' } },
      { kind: 'unmatched_pattern', values: { object: 'keys', owner: 'ci', model: 'qwen*' } },
    ],
  ],
  [
    'a grant that its group has not',
    `channels: [{ name: d, provider: demo, models: [m, n] }]\ngroups: { free: { models: [n] } }\n${keyWith('group: free, models: [m]')}`,
    [{ kind: 'withheld_by_group', values: { object: 'keys', owner: 'ci', model: 'm', group: 'free' } }],
  ],
  [
    'a fallback to nothing',
    `${demo}\nusers: { ann: { budgets: [{ limit_usd: 1, window: day, at_limit: fallback, fallback: gone }] } }`,
    [{ kind: 'unserved_fallback', values: { object: 'users', owner: 'ann', model: 'gone' } }],
  ],
])('the warnings of a configuration with %s are reported as facts', (_, yaml, facts) => {
  expect(warningsOf(yaml)).toEqual(facts)
})

it.each([
  ['certificate_early', '2000-01-01T00:00:00Z'],
  ['certificate_ended', '2500-01-01T00:00:00Z'],
])('the warning %s includes a date', (kind, now) => {
  vi.useFakeTimers({ now: new Date(now), toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const moment = expect.stringMatching(/^\d{4}-\d\d-\d\dT/)
  expect(warningsOf(`listen: 0.0.0.0:8443\nadmin: { listen: 127.0.0.1:8081 }\n${demo}`, true)).toEqual([
    { kind, values: { at: moment } },
  ])
})

it.each<[ConfigWarning, string]>([
  [
    { kind: 'certificate_early', values: { at: '2026-01-01T00:00:00.000Z' } },
    'tls.cert: the certificate counts only from 2026-01-01T00:00:00.000Z on',
  ],
  [
    { kind: 'unserved_rate', values: { model: 'o' } },
    'models: "o" has a rate limit, but no channel serves it',
  ],
  [
    { kind: 'unserved_fallback', values: { object: 'users', owner: 'ann', model: 'o' } },
    'users: "ann" falls back to "o" at its limit, which no channel serves',
  ],
  [
    { kind: 'leads_to_itself', values: { address: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY' } },
    "OPENAI_BASE_URL leads to Headgate itself, so OPENAI_API_KEY makes no channel; unset both, or only OPENAI_BASE_URL if the key is the provider's",
  ],
  [
    { kind: 'unreadable_prices', values: { path: '/data/prices.json', reason: 'no JSON' } },
    '/data/prices.json: is no price table that can be read (no JSON), so it is ignored; correct it, or delete it and run "headgate prices update"',
  ],
])('the warning %j has a sentence for operators', (warning, sentence) => {
  expect(writeConfigWarning(warning)).toBe(sentence)
})

it('a sentence names the first ten models of a long list', () => {
  const models = Array.from({ length: 12 }, (_, index) => `m${index}`)
  expect(writeConfigWarning({ kind: 'unpriced_refused', values: { models } })).toBe(
    `models: no price is known for ${models.slice(0, 10).join(', ')} and 2 more, so requests for them are refused; give each a "price"`,
  )
})

function warningsOf(yaml: string, hasCertificate = false): readonly ConfigWarning[] {
  const parsed = parseYamlConfig(yaml)
  return resolveConfig({
    parsed,
    source: { type: 'file', path: 'headgate.yaml' },
    files: { tls: hasCertificate ? readIdentity('first') : undefined, channels: parsed.channels },
    environment: readEnvironment({}),
    outer: {},
    workingFolder: '/',
  }).warnings
}
