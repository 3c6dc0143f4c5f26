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

test('the native format requests as much thinking as the caller does', () => {
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

test('the compatible endpoint gets its documented fields and two effort levels', () => {
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
])('%s gets the tool choice %s and no thinking field', (model, choice) => {
  const { value } = cohereFormat.writeRequest(request, { model, dialect: cohere.dialect(model, 'cohere') })
  expect(value['tool_choice']).toBe(choice)
  expect(value).not.toHaveProperty('thinking')
})

test('each format has its own paths on the same host', () => {
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

test('a channel needs only a key', () => {
  const { channels } = parseYamlConfig('channels: [{ name: c, provider: cohere, api_key: k }]')
  expect(channels[0]).toMatchObject({
    format: 'cohere',
    baseUrl: 'https://api.cohere.com',
    models: { type: 'listed' },
  })
})
