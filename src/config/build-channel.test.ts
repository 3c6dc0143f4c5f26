import { expect, test } from 'vitest'
import { configErrorOf, parseYamlConfig } from '../../test/support/parse-yaml-config.ts'

test('allow_private lets an address point to this machine', () => {
  const { channels } = parseYamlConfig(`
channels:
  - { name: gpu, provider: vllm, base_url: "http://127.0.0.1:8000/v1/", allow_private: true }`)
  expect(channels[0]).toMatchObject({ baseUrl: 'http://127.0.0.1:8000/v1', allowPrivate: true })
})

test('a provider that runs on this machine may be reached there only at its default address', () => {
  const { channels } = parseYamlConfig('channels: [{ name: local, provider: ollama }]')
  expect(channels[0]).toMatchObject({
    baseUrl: 'http://127.0.0.1:11434/v1',
    allowPrivate: true,
    models: { type: 'listed' },
    credentials: [],
  })
  const moved = 'channels: [{ name: local, provider: ollama, base_url: "http://127.0.0.1:1/v1" }]'
  expect(configErrorOf(moved)).toContain('allow_private')
})

test('all settings of a channel are parsed', () => {
  const { channels } = parseYamlConfig(
    `
channels:
  - name: primary
    provider: openai
    api_keys: ["\${FIRST}", "\${SECOND:-sk-two}"]
    models: { gpt-4o: gpt-4o-2024-11-20 }
    priority: 10
    weight: 3
    headers: { X-Team: search }
    timeouts: { connect: 500ms, headers: 15m, total: 60m }
    breaker: { failures: 20 }
    concurrency: 200`,
    { FIRST: 'sk-one', SECOND: '' },
  )
  expect(channels).toEqual([
    {
      name: 'primary',
      provider: 'openai',
      format: 'chat',
      baseUrl: 'https://api.openai.com/v1',
      credentials: [
        { id: 'primary#1', secret: 'sk-one' },
        { id: 'primary#2', secret: 'sk-two' },
      ],
      models: { type: 'named', upstreamNames: new Map([['gpt-4o', 'gpt-4o-2024-11-20']]) },
      priority: 10,
      weight: 3,
      headers: { 'x-team': 'search' },
      timeouts: {
        connectMs: 500,
        tlsMs: 5_000,
        headersMs: 900_000,
        wholeHeadersMs: 900_000,
        firstContentMs: undefined,
        idleMs: undefined,
        progressMs: 180_000,
        totalMs: 3_600_000,
      },
      breaker: { failures: 20, windowMs: 10_000 },
      concurrency: 200,
      allowPrivate: false,
      allowFields: new Set(),
    },
  ])
})

test('a circuit breaker is on unless the channel turns it off', () => {
  const breakerOf = (more: string) =>
    parseYamlConfig(`channels: [{ name: d, provider: demo${more} }]`).channels[0]?.breaker
  expect(breakerOf('')).toEqual({ failures: 5, windowMs: 10_000 })
  expect(breakerOf(', breaker: off')).toBeUndefined()
})

test.each([
  ['https://api.anthropic.com', 'https://api.anthropic.com'],
  ['https://gate.example.com/v1/', 'https://gate.example.com'],
  ['https://gate.example.com/anthropic', 'https://gate.example.com/anthropic'],
])(
  'the base address %s of a messages channel becomes %s, since its paths include the version',
  (written, baseUrl) => {
    const { channels } = parseYamlConfig(
      `channels: [{ name: a, provider: anthropic-compatible, base_url: "${written}" }]`,
    )
    expect(channels[0]?.baseUrl).toBe(baseUrl)
  },
)

test('a credential in a header replaces the key', () => {
  const { channels } = parseYamlConfig(
    'channels: [{ name: a, provider: openai, headers: { Authorization: Bearer x } }]',
  )
  expect(channels[0]).toMatchObject({ credentials: [], headers: { authorization: 'Bearer x' } })
})
