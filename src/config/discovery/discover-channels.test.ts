import { expect, test } from 'vitest'
import { parseConfigValue } from '../../../test/support/parse-yaml-config.ts'
import { providerRegistry } from '../../providers/registry.ts'
import type { Variables } from '../source/substitute-variables.ts'
import { discoverChannels, type Probe } from './discover-channels.ts'

const nobody = () => Promise.resolve(false)
const listen = { host: '127.0.0.1', port: 8080 }

const explore = (variables: Variables, probe: Probe = nobody) =>
  discoverChannels({ variables, registry: providerRegistry, probe, listen })

const discover = async (variables: Variables, probe: Probe) => (await explore(variables, probe)).channels

/** Every variable that some provider's documentation names. */
const keys = Object.fromEntries(
  providerRegistry.ids.flatMap((id) => {
    const name = providerRegistry.find(id)?.environmentKey
    return name === undefined ? [] : [[name, `key-of-${id}`]]
  }),
)

const variables = { ...keys, AWS_REGION: 'eu-west-3' }

test('every provider key makes a channel that is valid without further settings', async () => {
  const found = await discover(variables, nobody)
  const { channels } = parseConfigValue({ channels: found })
  // The names are written out, so that what a declaration says of itself is not all that the test knows.
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

test('a provider without a model list serves its declared models', async () => {
  const found = await discover({ PERPLEXITY_API_KEY: 'k' }, nobody)
  const { channels } = parseConfigValue({ channels: found })
  expect(channels[0]?.models).toMatchObject({ type: 'named' })
})

test('a Gemini key is found under both names that its own client reads', async () => {
  const found = await discover({ GOOGLE_API_KEY: 'k' }, nobody)
  expect(found).toMatchObject([{ name: 'gemini', api_key: 'k' }])
  const both = await discover({ GOOGLE_API_KEY: 'k', GEMINI_API_KEY: 'g' }, nobody)
  expect(both).toMatchObject([{ name: 'gemini', api_key: 'g' }])
})

test('a Bedrock key makes a channel in the region of the environment, and no channel without a region', async () => {
  const key = { AWS_BEARER_TOKEN_BEDROCK: 'k' }
  const found = await discover({ ...key, AWS_DEFAULT_REGION: 'eu-west-3' }, nobody)
  expect(found).toEqual([
    { name: 'bedrock', provider: 'bedrock', api_key: 'k', credentials: { region: 'eu-west-3' }, models: '*' },
  ])
  expect(await discover(key, nobody)).toMatchObject([{ name: 'demo' }])
})

test('a token that many machines have for other purposes makes no channel', async () => {
  const found = await discover({ HF_TOKEN: 'hf_x' }, nobody)
  expect(found).toEqual([{ name: 'demo', provider: 'demo' }])
})

test('local servers are probed at their usual addresses, but not at the address of Headgate', async () => {
  const asked: string[] = []
  await discover({}, (url) => {
    asked.push(url)
    return Promise.resolve(false)
  })
  expect(asked).toEqual(['http://127.0.0.1:11434/api/version', 'http://127.0.0.1:1234/v1/models'])
})

test('a server that answers becomes a channel at its address', async () => {
  const found = await discover({}, (url) => Promise.resolve(url.includes(':1234')))
  const { channels } = parseConfigValue({ channels: found })
  expect(channels).toMatchObject([
    { name: 'lmstudio', baseUrl: 'http://127.0.0.1:1234/v1', allowPrivate: true, models: { type: 'listed' } },
  ])
})

test.each([
  ['openai', 'OPENAI_API_KEY', 'OPENAI_BASE_URL', 'http://10.1.2.3:9/v1/', 'http://10.1.2.3:9/v1'],
  ['anthropic', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL', 'https://relay.example', 'https://relay.example'],
  [
    'anthropic',
    'ANTHROPIC_API_KEY',
    'ANTHROPIC_BASE_URL',
    'https://relay.example/v1',
    'https://relay.example',
  ],
  ['gemini', 'GEMINI_API_KEY', 'GOOGLE_GEMINI_BASE_URL', 'https://g.example', 'https://g.example/v1beta'],
  ['gemini', 'GEMINI_API_KEY', 'GEMINI_BASE_URL', 'https://g.example/v1beta', 'https://g.example/v1beta'],
])('the channel of %s uses the base address that its SDK reads with %s: %s=%s', async (...given) => {
  const [name, key, variable, written, baseUrl] = given
  const found = await discover({ [key]: 'k', [variable]: written }, nobody)
  const { channels } = parseConfigValue({ channels: found })
  expect(channels).toMatchObject([{ name, baseUrl }])
})

test('a base address that points to Headgate itself makes no channel and causes a warning', async () => {
  const variables = { OPENAI_API_KEY: 'k', OPENAI_BASE_URL: 'http://localhost:8080/v1' }
  const { channels, warnings } = await explore(variables)
  expect(channels).toMatchObject([{ name: 'demo' }])
  expect(warnings).toEqual([
    { kind: 'leads_to_itself', values: { address: 'OPENAI_BASE_URL', key: 'OPENAI_API_KEY' } },
  ])
})

test('an invalid base address is an error that names the variable', async () => {
  const found = explore({ ANTHROPIC_API_KEY: 'k', ANTHROPIC_BASE_URL: 'relay.example' })
  await expect(found).rejects.toMatchObject({ problems: [{ path: 'ANTHROPIC_BASE_URL' }] })
})
