import { expect, test } from 'vitest'
import { providerRegistry } from '../providers/registry.ts'
import { discoverChannels } from './discover-channels.ts'
import { parseConfigValue } from './parse-config.ts'

const nobody = () => Promise.resolve(false)

/** Every variable that some provider's documentation names. */
const keys = Object.fromEntries(
  providerRegistry.ids.flatMap((id) => {
    const name = providerRegistry.find(id)?.environmentKey
    return name === undefined ? [] : [[name, `key-of-${id}`]]
  }),
)

const variables = { ...keys, AWS_REGION: 'eu-west-3' }

test('every key of a provider makes a channel that is valid as it stands', async () => {
  const found = await discoverChannels(variables, providerRegistry, nobody)
  const { channels } = parseConfigValue({ channels: found }, providerRegistry)
  // By name, so that what a declaration says of itself is not all that the test knows.
  const names = channels.map(({ name }) => name)
  expect(names).toEqual(expect.arrayContaining(['openai', 'anthropic', 'mistral', 'openrouter', 'gemini']))
  expect(names).not.toContain('huggingface')
  expect(names).toEqual(
    providerRegistry.ids.filter((id) => {
      const { environmentKey, isKeyShared } = providerRegistry.find(id) ?? {}
      return environmentKey !== undefined && isKeyShared !== true
    }),
  )
  for (const { name, credentials, baseUrl } of channels) {
    expect(credentials.map(({ secret }) => secret)).toEqual([`key-of-${name}`])
    expect(baseUrl).toMatch(/^https:\/\//)
  }
})

test('a provider that lists no models serves those that it declares', async () => {
  const found = await discoverChannels({ PERPLEXITY_API_KEY: 'k' }, providerRegistry, nobody)
  const { channels } = parseConfigValue({ channels: found }, providerRegistry)
  expect(channels[0]?.models).toMatchObject({ type: 'named' })
})

test('a key of Gemini is found under either name that its own client knows', async () => {
  const found = await discoverChannels({ GOOGLE_API_KEY: 'k' }, providerRegistry, nobody)
  expect(found).toMatchObject([{ name: 'gemini', api_key: 'k' }])
  const both = await discoverChannels({ GOOGLE_API_KEY: 'k', GEMINI_API_KEY: 'g' }, providerRegistry, nobody)
  expect(both).toMatchObject([{ name: 'gemini', api_key: 'g' }])
})

test('a key of Bedrock makes a channel in the region that the environment names, and none without one', async () => {
  const key = { AWS_BEARER_TOKEN_BEDROCK: 'k' }
  const found = await discoverChannels({ ...key, AWS_DEFAULT_REGION: 'eu-west-3' }, providerRegistry, nobody)
  expect(found).toEqual([
    { name: 'bedrock', provider: 'bedrock', api_key: 'k', credentials: { region: 'eu-west-3' }, models: '*' },
  ])
  expect(await discoverChannels(key, providerRegistry, nobody)).toMatchObject([{ name: 'demo' }])
})

test('a token that is on many machines for other ends makes no channel', async () => {
  const found = await discoverChannels({ HF_TOKEN: 'hf_x' }, providerRegistry, nobody)
  expect(found).toEqual([{ name: 'demo', provider: 'demo' }])
})

test('servers on this machine are looked for where they listen, and none where Headgate does', async () => {
  const asked: string[] = []
  await discoverChannels({}, providerRegistry, (url) => {
    asked.push(url)
    return Promise.resolve(false)
  })
  expect(asked).toEqual(['http://127.0.0.1:11434/api/version', 'http://127.0.0.1:1234/v1/models'])
})

test('a server that answers becomes a channel at its address', async () => {
  const found = await discoverChannels({}, providerRegistry, (url) => Promise.resolve(url.includes(':1234')))
  const { channels } = parseConfigValue({ channels: found }, providerRegistry)
  expect(channels).toMatchObject([
    { name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1', allowPrivate: true, models: { type: 'listed' } },
  ])
})
