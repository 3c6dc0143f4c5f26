import { expect, it } from 'vitest'
import { parseConfigValue } from '../../../test/support/parse-yaml-config.ts'
import { ConfigError } from '../config-error.ts'
import { maskSecrets } from '../secrets/mask-secrets.ts'

function parse(channel: object) {
  const entry = { name: 'b', provider: 'bedrock', models: ['amazon.nova-lite-v1:0'], ...channel }
  return parseConfigValue({ channels: [entry] })
}

function problemsOf(channel: object): readonly string[] {
  try {
    parse(channel)
    return []
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path} ${message}`)
    throw error
  }
}

const keys = { access_key_id: 'AKIDEXAMPLEEXAMPLE00', secret_access_key: 'secret-of-the-key' }

it('a Bedrock channel needs its region, and its keys either complete or not at all', () => {
  expect(problemsOf({})).toEqual([expect.stringContaining('credentials.region')])
  expect(problemsOf({ credentials: { region: 'us-east-1' } })).toEqual([])
  expect(problemsOf({ credentials: { region: 'Virginia' } })).toEqual([expect.stringContaining('a region')])
  const { access_key_id } = keys
  expect(problemsOf({ credentials: { region: 'us-east-1', access_key_id } })).toEqual([
    expect.stringContaining('says nothing without secret_access_key'),
  ])
  expect(problemsOf({ api_key: 'a', credentials: { region: 'us-east-1', api_key: 'b' } })).toEqual([
    expect.stringContaining('stands beside api_key'),
  ])
})

it('Bedrock models may be named by ARN, but not by a name that changes the path', () => {
  const credentials = { region: 'us-east-1' }
  const arn = 'arn:aws:bedrock:us-east-1:1:inference-profile/us.x-v1:0'
  expect(problemsOf({ credentials, models: { a: arn } })).toEqual([])
  expect(problemsOf({ credentials, models: { a: 'x?y' } }).length).toBe(1)
})

it('the keys of Bedrock are masked as secrets, and its region is not', () => {
  const credentials = { region: 'us-east-1', session_token: 'token-of-a-session', ...keys }
  const { channels, value } = parse({ credentials })
  expect(channels[0]?.baseUrl).toBe('https://bedrock-runtime.us-east-1.amazonaws.com')
  const masked = JSON.stringify(maskSecrets(value))
  for (const secret of ['secret-of-the-key', 'token-of-a-session']) expect(masked).not.toContain(secret)
  expect(masked).toContain('us-east-1')
})

it('a Bedrock API key among the credentials becomes the key of the channel', () => {
  const { channels } = parse({ credentials: { region: 'us-east-1', api_key: 'bedrock-key' } })
  expect(channels[0]?.credentials.map(({ secret }) => secret)).toEqual(['bedrock-key'])
})
