import { expect, test } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { authHeaders } from '../provider.ts'
import { pathOf } from '../registry.ts'
import { azureOpenai } from './azure-openai.ts'

const resource = 'https://example.openai.azure.com'

function pathAt(baseUrl: string, version?: string, upstreamModel = 'my-gpt') {
  const settings = version === undefined ? undefined : { api_version: version }
  const channel = {
    ...createChannel({ name: 'azure', provider: 'azure-openai', models: 'listed' }),
    baseUrl,
    settings,
  }
  const operation = { id: 'chat', path: '/chat/completions' } as const
  return pathOf(azureOpenai, operation, { channel, upstreamModel })
}

test.each([
  [resource, undefined, '/openai/v1/chat/completions'],
  [resource, 'preview', '/openai/v1/chat/completions?api-version=preview'],
  [resource, '2024-10-21', '/openai/deployments/my-gpt/chat/completions?api-version=2024-10-21'],
  [
    resource,
    '2025-04-01-preview',
    '/openai/deployments/my-gpt/chat/completions?api-version=2025-04-01-preview',
  ],
  [`${resource}/openai`, '2024-10-21', '/deployments/my-gpt/chat/completions?api-version=2024-10-21'],
  [`${resource}/openai`, undefined, '/v1/chat/completions'],
  [`${resource}/openai/v1`, undefined, '/chat/completions'],
  [`${resource}/openai/v1`, 'latest', '/chat/completions?api-version=latest'],
  [
    'https://example.services.ai.azure.com/models',
    '2024-05-01-preview',
    '/chat/completions?api-version=2024-05-01-preview',
  ],
])('at %s with the version %s the path is %s', (baseUrl, version, path) => {
  expect(pathAt(baseUrl, version)).toBe(path)
})

test('a deployment name is escaped in the path or refused', () => {
  expect(pathAt(resource, '2024-10-21', 'gpt-4o:v2_x.1')).toContain('/deployments/gpt-4o%3Av2_x.1/chat')
  for (const name of ['..', '.', 'a/b', 'a?b', 'a#b', 'a%2fb', '', 'a b', 'é', 'x'.repeat(129)]) {
    expect(() => pathAt(resource, '2024-10-21', name)).toThrow()
  }
})

test('the key is sent in the api-key header', () => {
  const channel = createChannel({ name: 'azure', provider: 'azure-openai', models: 'listed' })
  expect(authHeaders(azureOpenai, channel, 'secret')).toEqual({ 'api-key': 'secret', ...channel.headers })
})
