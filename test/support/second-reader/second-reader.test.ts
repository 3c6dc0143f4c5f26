import { describe, expect, it } from 'vitest'
import { compareMeanings, readLossHeader } from './compare-meanings.ts'
import { readChatRequest } from './read-chat-request.ts'
import { readMessagesRequest } from './read-messages-request.ts'
import { readResponsesRequest } from './read-responses-request.ts'

const chat = {
  model: 'm',
  max_tokens: 9,
  temperature: 0.5,
  stop: 'END',
  user: 'u',
  messages: [
    { role: 'system', content: 'Be brief.' },
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AA==' } },
      ],
    },
    {
      role: 'assistant',
      content: 'I will.',
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } }],
    },
    { role: 'tool', tool_call_id: 'a', content: 'r' },
    { role: 'user', content: 'And?' },
  ],
  tools: [{ type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } }],
  tool_choice: 'required',
}
const messages = {
  model: 'm',
  max_tokens: 9,
  temperature: 0.5,
  stop_sequences: ['END'],
  metadata: { user_id: 'u' },
  system: 'Be brief.',
  messages: [
    {
      role: 'user',
      content: [
        { type: 'text', text: 'Look:' },
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      ],
    },
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'I will.' },
        { type: 'tool_use', id: 'b', name: 'f', input: { x: 1 } },
      ],
    },
    {
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 'b', content: 'r' },
        { type: 'text', text: 'And?' },
      ],
    },
  ],
  tools: [{ name: 'f', description: 'd', input_schema: { type: 'object' } }],
  tool_choice: { type: 'any' },
}
const responses = {
  model: 'm',
  max_output_tokens: 9,
  temperature: 0.5,
  user: 'u',
  store: false,
  instructions: 'Be brief.',
  input: [
    {
      role: 'user',
      content: [
        { type: 'input_text', text: 'Look:' },
        { type: 'input_image', image_url: 'data:image/png;base64,AA==', detail: 'auto' },
      ],
    },
    { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'I will.' }] },
    { type: 'function_call', call_id: 'c', name: 'f', arguments: '{"x":1}' },
    { type: 'function_call_output', call_id: 'c', output: 'r' },
    { type: 'message', role: 'user', content: 'And?' },
  ],
  tools: [{ type: 'function', name: 'f', description: 'd', parameters: { type: 'object' }, strict: false }],
  tool_choice: 'required',
}

function silent(caller: object, upstream: object, header = ''): readonly string[] {
  const losses = readLossHeader(header)
  return compareMeanings({
    caller: readChatRequest(caller),
    upstream: readMessagesRequest(upstream),
    losses,
  }).silent
}

describe('the second reader', () => {
  it('finds the same meaning in both formats', () => {
    expect(readMessagesRequest(messages)).toEqual(readChatRequest(chat))
    expect(readResponsesRequest(responses)).toEqual({ ...readChatRequest(chat), stops: [] })
    expect(silent(chat, messages)).toEqual([])
  })

  it.each([
    ['system', { instructions: 'Be long.' }],
    ['texts', { input: [{ role: 'user', content: 'Look' }, ...responses.input.slice(1)] }],
    ['calls', { input: [...responses.input.slice(0, 2), ...responses.input.slice(3)] }],
    ['results', { input: responses.input.slice(0, 3) }],
    ['images', { input: [{ role: 'user', content: 'Look:' }, ...responses.input.slice(1)] }],
    ['thoughts', { input: [{ type: 'reasoning', summary: [], encrypted_content: 'x' }, ...responses.input] }],
    ['maxTokens', { max_output_tokens: 8 }],
    ['tools', { tools: [{ ...responses.tools[0], strict: true }] }],
    ['toolChoice', { tool_choice: 'auto' }],
    ['output', { text: { format: { type: 'json_object' } } }],
    ['reasoning', { reasoning: { effort: 'low' } }],
    ['made up: store', { store: true }],
    ['made up: metadata', { metadata: { a: 'b' } }],
    ['made up: input.phase', { input: [{ ...responses.input[0], phase: 'x' }, ...responses.input.slice(1)] }],
    ['made up: part.web_search_call', { input: [...responses.input, { type: 'web_search_call' }] }],
  ])('detects a difference in %s of the responses format', (part, change) => {
    const [caller, upstream] = [responses, { ...responses, ...change }].map(readResponsesRequest)
    expect(caller && upstream && compareMeanings({ caller, upstream, losses: [] }).silent).toContain(part)
  })

  it.each([
    ['system', { system: 'Be long.' }],
    ['texts', { messages: [{ role: 'user', content: 'Look' }, ...messages.messages.slice(1)] }],
    ['results', { messages: messages.messages.slice(0, 2) }],
    ['maxTokens', { max_tokens: 8 }],
    ['temperature', { temperature: 1 }],
    ['stops', { stop_sequences: [] }],
    ['toolChoice', { tool_choice: { type: 'auto' } }],
    ['isParallel', { tool_choice: { type: 'any', disable_parallel_tool_use: true } }],
    ['tools', { tools: [] }],
    ['user', { metadata: {} }],
    ['output', { output_config: { format: { type: 'json_schema', schema: {} } } }],
    ['reasoning', { output_config: { effort: 'low' } }],
    ['made up: container', { container: 'c' }],
  ])('detects a difference in %s', (part, change) => {
    expect(silent(chat, { ...messages, ...change })).toContain(part)
  })

  it('permits exactly the differences that a loss declares', () => {
    const dearer = { ...chat, seed: 1, prefix: true, temperature: 1.5 }
    expect(silent(dearer, messages)).toEqual(['temperature', 'gone: seed', 'gone: prefix'])
    expect(silent(dearer, messages, 'sampling=approximated, seed=dropped')).toEqual(['gone: prefix'])
    expect(silent(dearer, messages, 'foreign-field(prefix)=dropped, sampling(top_p)=dropped')).toEqual([
      'temperature',
      'gone: seed',
    ])
  })
})
