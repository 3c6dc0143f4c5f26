import { expect, test } from 'vitest'
import { createChannel } from '../../../test/support/create-channel.ts'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import { writeRequest as writeChat } from '../../wire/chat/request/write-request.ts'
import { cohereFormat } from '../../wire/cohere/format.ts'
import { cohere } from './cohere.ts'

const request: ChatRequest = {
  model: 'fast',
  turns: [{ role: 'user', name: 'Ada', content: [{ type: 'text', text: 'Hi' }] }],
  stream: true,
  maxOutputTokens: 50,
  reasoning: { effort: 'medium' },
  tools: [{ type: 'function', name: 'look', strict: true }],
  toolChoice: { type: 'required' },
  parallelToolCalls: true,
  logprobs: true,
}

test('the provider’s own format asks a model that thinks for as much as the caller does', () => {
  const model = 'command-a-reasoning-08-2025'
  const { value, losses } = cohereFormat.writeRequest(request, {
    model,
    dialect: cohere.dialect(model, 'cohere'),
  })
  expect(value).toEqual({
    model,
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    tools: [{ type: 'function', function: { name: 'look', parameters: { type: 'object', properties: {} } } }],
    tool_choice: 'REQUIRED',
    strict_tools: true,
    max_tokens: 50,
    thinking: { type: 'enabled', token_budget: 16_384 },
  })
  expect(losses).toEqual([
    { feature: 'logprobs', kind: 'dropped' },
    { feature: 'participant-name', kind: 'dropped' },
    { feature: 'reasoning-effort', kind: 'approximated' },
  ])
})

test('the compatible endpoint gets the fields that it documents, and two words for thinking', () => {
  const model = 'command-a-reasoning-08-2025'
  const { value } = writeChat(request, { model, dialect: cohere.dialect(model, 'chat') })
  expect(value).toEqual({
    model,
    messages: [{ role: 'user', content: 'Hi' }],
    stream: true,
    tools: [{ type: 'function', function: { name: 'look' } }],
    tool_choice: 'auto',
    max_tokens: 50,
    reasoning_effort: 'high',
  })
})

test.each([
  ['command-r-08-2024', undefined],
  ['command-r-plus', undefined],
  ['command-r7b-12-2024', 'REQUIRED'],
  ['command-a-03-2025', 'REQUIRED'],
])('%s takes the choice %s, and no word of thinking', (model, choice) => {
  const { value } = cohereFormat.writeRequest(request, { model, dialect: cohere.dialect(model, 'cohere') })
  expect(value['tool_choice']).toBe(choice)
  expect(value).not.toHaveProperty('thinking')
})

test('each format has its paths on the one host', () => {
  const pathOf = (format: 'chat' | 'cohere', path: string) =>
    cohere.pathOf?.({
      operation: format,
      path,
      isStream: false,
      upstreamModel: 'm',
      channel: createChannel({ name: 'c', models: {}, provider: 'cohere', format }),
    })
  expect(pathOf('cohere', '/v2/chat')).toBe('/v2/chat')
  expect(pathOf('chat', '/chat/completions')).toBe('/compatibility/v1/chat/completions')
})

test('a key is all that a channel needs', () => {
  const { channels } = parseYamlConfig('channels: [{ name: c, provider: cohere, api_key: k }]')
  expect(channels[0]).toMatchObject({
    format: 'cohere',
    baseUrl: 'https://api.cohere.com',
    models: { type: 'listed' },
  })
})
