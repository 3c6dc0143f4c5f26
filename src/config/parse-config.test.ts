import { expect, test } from 'vitest'
import { openTerms } from '../../test/support/key-terms.ts'
import { configErrorOf, parseYamlConfig } from '../../test/support/parse-yaml-config.ts'
import { readGrant } from '../access/permission.ts'

test('models are parsed with their capabilities and routing', () => {
  const { models } = parseYamlConfig(`
channels: [{ name: d, provider: demo }]
models:
  fast: { targets: [d/demo-chat], fallback: [demo-chat], strategy: priority-weighted, reasoning: effort }
  demo-chat: { json_schema: false, default_max_tokens: 4096 }`)
  expect(models).toEqual([
    {
      publicName: 'fast',
      targets: [{ channel: 'd', model: 'demo-chat' }],
      fallbacks: ['demo-chat'],
      capabilities: { reasoning: 'effort' },
      strategy: 'priority-weighted',
    },
    { publicName: 'demo-chat', fallbacks: [], capabilities: { jsonSchema: false, defaultMaxTokens: 4096 } },
  ])
})

test('a name that an upstream model list may contain is accepted', () => {
  const { models } = parseYamlConfig(`
channels: [{ name: local, provider: ollama }]
models:
  fast: { targets: [local/library/llama3:8b], fallback: [qwen3] }
  qwen3: { reasoning: effort }`)
  expect(models[0]?.targets).toEqual([{ channel: 'local', model: 'library/llama3:8b' }])
})

test('keys are parsed with their permissions', () => {
  const { input } = parseYamlConfig(`
keys:
  - { name: all, secret: 0123456789abcdef }
  - name: some
    secret: "with space inside"
    models: [gpt-4o]
    group: search
    expires_at: 2027-01-01T02:00:00+02:00
    allow_ips: [10.0.0.0/8, "::1"]
    disabled: true
    dry_run: true
    user: alice
    budgets: [{ limit_usd: 5, window: day }]
    rate: { rpm: 60 }
    tags: { team: search }
    caller_tags: true
    end_user_budget: { limit_usd: 0.5, window: month }
    passthrough: [openai]
groups: { search: {} }`)
  expect(input.keys).toEqual([
    { ...openTerms, name: 'all', secret: '0123456789abcdef' },
    {
      name: 'some',
      secret: 'with space inside',
      permission: readGrant(['gpt-4o']),
      group: 'search',
      allowIps: ['10.0.0.0/8', '::1'],
      expiresAtMs: Date.parse('2027-01-01T00:00:00Z'),
      disabled: true,
      dryRun: true,
      user: 'alice',
      budgets: [expect.objectContaining({ limit: 5_000_000_000 })],
      rate: expect.objectContaining({ requestsPerMinute: 60 }),
      tags: { team: 'search' },
      callerTags: true,
      endUserBudget: expect.objectContaining({ limit: 500_000_000 }),
      passthrough: ['openai'],
    },
  ])
})

test.each([
  ['2027-01-01', '2027-01-01T00:00:00Z'],
  ['2027-01-01T12:00:00Z', '2027-01-01T12:00:00Z'],
])('a key may expire on a day or at a time: %s', (text, time) => {
  const { input } = parseYamlConfig(`keys: [{ name: a, secret: 0123456789abcdef, expires_at: ${text} }]`)
  expect(input.keys?.[0]?.expiresAtMs).toBe(Date.parse(time))
})

test.each(['', '# only a comment', '---\n', '{}'])('an empty file is an empty configuration: %j', (text) => {
  expect(parseYamlConfig(text)).toMatchObject({ input: {}, channels: [], models: [] })
})

test('one pass lists problems with shapes, channels and models', () => {
  const error = configErrorOf(`chanels: []
channels:
  - { name: a, provider: openai, models: [m], pirority: 1 }
  - { name: b, provider: openai, api_key: k, models: [n], weight: heavy }
models:
  fast: { targets: [a/m, b/none] }
`)
  expect(
    error.split('\n').map((line) => line.replace(/^headgate\.yaml:\d+:\d+: /, '').replace(/[:;].*/, '')),
  ).toEqual([
    'chanels',
    'channels[0].api_key',
    'channels[0].pirority',
    'channels[1].weight',
    'models.fast.targets[1]',
  ])
})

test.each([
  ['a name that is not valid', 'name: "Not a name!", '],
  ['no name', ''],
])('a channel with %s has its other problems listed, too', (_channel, name) => {
  const error = configErrorOf(`channels:
  - { ${name}provider: openai, base_url: nowhere, models: [m, m], weight: heavy }
  - { name: channel-0, provider: opnai, models: [n] }
`)
  expect(
    error
      .split('\n')
      .map((line) => line.replace(/^headgate\.yaml:\d+:\d+: /, '').replace(/: .*/, ''))
      .toSorted(),
  ).toEqual([
    'channels[0].api_key',
    'channels[0].base_url',
    'channels[0].models[1]',
    'channels[0].name',
    'channels[0].weight',
    'channels[1].provider',
  ])
})

test('what depends on the name of a channel is no problem of its own while the name is not valid', () => {
  const error = configErrorOf(`channels:
  - { name: "Not a name!", provider: openai, api_key: k, models: [m] }
models:
  fast: { targets: ["Not a name!/m", channel-0/m] }
`)
  expect(error.split('\n')).toEqual([expect.stringContaining('channels[0].name: must be 1 to 64 letters')])
})
