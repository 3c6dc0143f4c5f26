import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished, vi } from 'vitest'
import { readIdentity } from '../../../test/support/certificate.ts'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import { writeWarning } from '../../access/key-warning.ts'
import { discoverChannels } from '../../config/discovery/discover-channels.ts'
import { resolveConfig } from '../../config/resolve-config.ts'
import { readEnvironment } from '../../config/source/environment.ts'
import { openPriceTables, PRICE_TABLE_FILE } from '../../config/source/open-price-tables.ts'
import { providerRegistry } from '../../providers/registry.ts'
import { readWarning } from './warning-fact.ts'

const model = 'gpt "4"'
const owned = { object: 'keys', owner: 'ci' }

it.each([
  { type: 'unserved_model', model },
  { type: 'withheld_by_group', model, group: 'free' },
  { type: 'unserved_fallback', model },
  { type: 'ungranted_fallback', model },
] as const)('the warning $type of an owner is data', (warning) => {
  const { type, ...values } = warning
  expect(factsOf([writeWarning(warning, 'keys: "ci"')])).toEqual([[type, { ...owned, ...values }]])
})

it('the warning of a pattern that matches nothing is data', () => {
  const warning = writeWarning({ type: 'unmatched_pattern', pattern: 'qwen*' }, 'keys: "ci"')
  expect(factsOf([warning])).toEqual([['unmatched_pattern', { ...owned, model: 'qwen*' }]])
})

const demo = 'channels: [{ name: d, provider: demo, models: [m] }]'
const channelAt = (name: string, url: string, more: string) =>
  `{ name: ${name}, provider: openai-compatible, base_url: "${url}", api_key: k, models: [m], ${more} }`
const twoPriorities = `models: { m: { price: { input: 1, output: 1 } }, all: { targets: [{ use: a/m, weight: 9 }, { use: b/m, weight: 1 }] } }
channels: [${channelAt('a', 'https://a.example/v1', 'priority: 1')}, ${channelAt('b', 'https://b.example/v1', 'priority: 2')}]`
const unpriced = `channels: [${channelAt('a', 'https://a.example/v1', '')}]`
const absent = 'budgets: [{ name: all, scope: "group:gone", limit_usd: 1, window: day }]'
const unserved =
  'models: { o: { rate: { rpm: 5 } } }\nchannels: [{ name: d, provider: demo, models: [m] }, { name: e, provider: demo, models: [o], disabled: true }]'

it.each([
  ['nothing to serve', 'listen: 127.0.0.1:8080', [['no_channels', {}]]],
  [
    'a listener that others can reach',
    `listen: 0.0.0.0:8080\nadmin: off\n${demo}`,
    [
      ['admin_off', {}],
      ['unencrypted_listener', {}],
    ],
  ],
  [
    'a channel over http',
    `models: { m: { price: { input: 1, output: 1 } } }\nchannels: [${channelAt('a', 'http://a.example/v1', '')}]`,
    [['unencrypted_channel', { channel: 'a' }]],
  ],
  ['weights over two priorities', twoPriorities, [['split_weights', { model: 'all' }]]],
  ['a budget of nothing', `${demo}\n${absent}`, [['absent_scope', { budget: 'all', scope: 'group:gone' }]]],
  ['a rate limit of nothing', unserved, [['unserved_rate', { model: 'o' }]]],
  ['no price', unpriced, [['unpriced_uncounted', { models: 'm' }]]],
  ['no price, where one is needed', `unpriced: refuse\n${unpriced}`, [['unpriced_refused', { models: 'm' }]]],
])('the warnings of a configuration with %s are data', (_, yaml, facts) => {
  expect(factsOf(warningsOf(yaml))).toEqual(facts)
})

it.each([
  ['certificate_early', '2000-01-01T00:00:00Z'],
  ['certificate_ended', '2500-01-01T00:00:00Z'],
])('the warning %s is data, with its moment', (kind, now) => {
  vi.useFakeTimers({ now: new Date(now), toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const [fact] = warningsOf(`listen: 0.0.0.0:8443\nadmin: { listen: 127.0.0.1:8081 }\n${demo}`, true).map(
    readWarning,
  )
  expect(fact?.kind).toBe(kind)
  expect(new Date(fact?.values['at'] ?? '').getTime()).toBeGreaterThan(0)
})

it('the warning of an address that leads to the gateway itself is data', async () => {
  const { warnings } = await discoverChannels({
    registry: providerRegistry,
    variables: { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://localhost:8080/v1' },
    listen: { host: '127.0.0.1', port: 8080 },
    probe: async () => false,
  })
  expect(factsOf(warnings)).toEqual([
    ['leads_to_itself', { address: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY' }],
  ])
})

it('the warning of a price table that is broken is data', () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-prices-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, PRICE_TABLE_FILE)
  writeFileSync(path, '{')
  const [fact] = openPriceTables(folder).warnings.map(readWarning)
  expect(fact).toEqual({
    kind: 'unreadable_prices',
    values: { path, reason: expect.stringContaining('JSON') },
  })
})

it('a warning that no pattern knows stays a text', () => {
  expect(readWarning('something else')).toEqual({ kind: 'text', values: { text: 'something else' } })
})

function factsOf(warnings: readonly string[]) {
  return warnings.map(readWarning).map(({ kind, values }) => [kind, values])
}

function warningsOf(yaml: string, hasCertificate = false): readonly string[] {
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
