import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../../canonical/failure.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readRequest } from './read-request.ts'

const base = { model: 'm1', max_tokens: 16 }
const hello = { role: 'user', content: 'Hi' }

function turnsOf(messages: JsonValue, more: JsonObject = {}) {
  return readRequest({ ...base, messages, ...more }).turns
}

function faultOf(body: JsonObject) {
  try {
    readRequest(body)
  } catch (cause) {
    if (cause instanceof GatewayError) return [cause.failure.code, cause.failure.param]
    throw cause
  }
  return undefined
}

describe('readRequest', () => {
  it('reads only a first system block without other text as a billing header', () => {
    const header = { type: 'text', text: 'x-anthropic-billing-header: cc_version=2' }
    const more = { type: 'text', text: `${header.text}\nYou are an agent.` }
    const kindsOf = (system: JsonValue) =>
      turnsOf([hello], { system }).flatMap((turn) => (turn.role === 'system' ? turn.content : []))
    expect(kindsOf([header, more]).map(({ type }) => type)).toEqual(['opaque', 'text'])
    expect(kindsOf([more, header])).toEqual([more, header])
    expect(kindsOf(header.text)).toEqual([header])
  })

  it('reads the request of a coding agent: system blocks, settings, a system message among the messages', () => {
    const request = readRequest({
      model: 'claude-x',
      max_tokens: 32000,
      stream: true,
      system: [
        { type: 'text', text: 'x-anthropic-billing-header: cc_version=2' },
        { type: 'text', text: 'You are an agent.', cache_control: { type: 'ephemeral', ttl: '1h' } },
      ],
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'Go', cache_control: { type: 'ephemeral' } }] },
        { role: 'system', content: '<env>linux</env>' },
        { role: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      ],
      tools: [
        { name: 'Read', description: 'Reads.', input_schema: { $schema: 's', type: 'object' } },
        { name: 'Placeholder', input_schema: { type: 'object' }, defer_loading: true },
      ],
      thinking: { type: 'adaptive', display: 'omitted' },
      output_config: { effort: 'high' },
      context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
      metadata: { user_id: '{"session":"s1"}' },
    })
    expect(request).toStrictEqual({
      model: 'claude-x',
      maxOutputTokens: 32000,
      stream: true,
      turns: [
        {
          role: 'system',
          authority: 'system',
          content: [
            {
              type: 'opaque',
              format: 'messages',
              name: 'x-anthropic-billing-header',
              value: { type: 'text', text: 'x-anthropic-billing-header: cc_version=2' },
            },
            { type: 'text', text: 'You are an agent.', cache: { lifetime: '1h' } },
          ],
        },
        { role: 'user', content: [{ type: 'text', text: 'Go', cache: {} }] },
        { role: 'system', authority: 'system', content: [{ type: 'text', text: '<env>linux</env>' }] },
        { role: 'system', authority: 'system', content: [{ type: 'text', text: 'Be kind.' }] },
      ],
      tools: [
        {
          type: 'function',
          name: 'Read',
          description: 'Reads.',
          parameters: { $schema: 's', type: 'object' },
        },
        {
          type: 'function',
          name: 'Placeholder',
          parameters: { type: 'object' },
          extras: { format: 'messages', fields: { defer_loading: true } },
        },
      ],
      reasoning: { mode: 'adaptive', display: 'omitted', effort: 'high' },
      endUser: '{"session":"s1"}',
      extras: {
        format: 'messages',
        fields: { context_management: { edits: [{ type: 'clear_thinking_20251015' }] } },
      },
    })
  })

  it('separates tool results from user text, in their order, and joins consecutive results', () => {
    const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: id })
    const text = (words: string) => ({ type: 'text', text: words })
    const turns = turnsOf([
      hello,
      { role: 'user', content: [result('b'), result('a'), text('Now?')] },
      { role: 'user', content: [result('c')] },
      { role: 'user', content: [result('d')] },
      { role: 'user', content: [text('first'), result('e')] },
    ])
    const answered = (...ids: readonly string[]) => ({
      role: 'tool',
      results: ids.map((id) => ({
        type: 'tool-result',
        callId: id,
        content: [{ type: 'text', text: id }],
        isError: false,
      })),
    })
    const said = (words: string) => ({ role: 'user', content: [{ type: 'text', text: words }] })
    expect(turns).toStrictEqual([
      said('Hi'),
      answered('b', 'a'),
      said('Now?'),
      answered('c', 'd'),
      said('first'),
      answered('e'),
    ])
  })

  it('reads calls with their input as text, thinking with its signature, and no signature if it is empty', () => {
    const content = [
      { type: 'thinking', thinking: 'hm', signature: 'sig' },
      { type: 'thinking', thinking: 'foreign', signature: '' },
      { type: 'redacted_thinking', data: 'xx' },
      { type: 'tool_use', id: 't1', name: 'f', input: { a: 1 }, caller: { type: 'direct' } },
    ]
    expect(turnsOf([hello, { role: 'assistant', content }])[1]).toStrictEqual({
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'hm', signature: 'sig' },
        { type: 'thinking', text: 'foreign' },
        { type: 'redacted-thinking', data: 'xx' },
        { type: 'tool-call', id: 't1', name: 'f', kind: 'function', input: '{"a":1}' },
      ],
    })
  })

  it('reads images and documents from each kind of source', () => {
    const content = [
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AA==' } },
      { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
      { type: 'document', source: { type: 'file', file_id: 'f1' }, title: 'T', context: null },
      { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'words' } },
      { type: 'document', source: { type: 'content', content: 'words' } },
      { type: 'document', source: { type: 'content', content: [{ type: 'image' }] } },
    ]
    const [turn] = turnsOf([{ role: 'user', content }])
    expect(turn).toStrictEqual({
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AA==' } },
        { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        { type: 'document', source: { type: 'file', fileId: 'f1' }, title: 'T' },
        { type: 'document', source: { type: 'text', text: 'words' } },
        {
          type: 'document',
          source: { type: 'text', text: 'words' },
          extras: { format: 'messages', fields: { source: { type: 'content', content: 'words' } } },
        },
        { type: 'opaque', format: 'messages', value: content[5] },
      ],
    })
  })

  it('reads the tool choice', () => {
    const choices: readonly (readonly [JsonObject, unknown])[] = [
      [{ type: 'auto' }, { toolChoice: { type: 'auto' } }],
      [
        { type: 'any', disable_parallel_tool_use: true },
        { toolChoice: { type: 'required' }, parallelToolCalls: false },
      ],
      [{ type: 'tool', name: 'f' }, { toolChoice: { type: 'tool', name: 'f', kind: 'function' } }],
      [{ type: 'none' }, { toolChoice: { type: 'none' } }],
    ]
    for (const [choice, expected] of choices) {
      const body = { ...base, messages: [hello], tool_choice: choice }
      expect(readRequest(body)).toMatchObject(expected ?? {})
    }
  })

  const block = (content: JsonValue, role = 'user') => ({ ...base, messages: [hello, { role, content }] })
  const faults: readonly (readonly [string, JsonObject, string, string])[] = [
    ['no model', { max_tokens: 1, messages: [hello] }, 'missing_field', 'model'],
    ['no cap', { model: 'm', messages: [hello] }, 'missing_field', 'max_tokens'],
    ['a cap in words', { ...base, max_tokens: 'ten', messages: [hello] }, 'invalid_field', 'max_tokens'],
    ['no messages', base, 'missing_field', 'messages'],
    ['an empty list of messages', { ...base, messages: [] }, 'invalid_field', 'messages'],
    ['a message that is no object', { ...base, messages: ['Hi'] }, 'invalid_field', 'messages.0'],
    ['a role unknown here', block('x', 'tool'), 'invalid_field', 'messages.1.role'],
    ['no content', { ...base, messages: [{ role: 'user' }] }, 'missing_field', 'messages.0.content'],
    ['content of another type', block(5), 'invalid_field', 'messages.1.content'],
    ['a block without a type', block([{ text: 'x' }]), 'missing_field', 'messages.1.content.0.type'],
    ['a text without text', block([{ type: 'text' }]), 'missing_field', 'messages.1.content.0.text'],
    ['a text in numbers', block([{ type: 'text', text: 1 }]), 'invalid_field', 'messages.1.content.0.text'],
    [
      'a call by the user',
      block([{ type: 'tool_use', id: 'a', name: 'b', input: {} }]),
      'invalid_field',
      'messages.1.content.0.type',
    ],
    [
      'a result by the assistant',
      block([{ type: 'tool_result', tool_use_id: 'a' }], 'assistant'),
      'invalid_field',
      'messages.1.content.0.type',
    ],
    [
      'input that is no object',
      block([{ type: 'tool_use', id: 'a', name: 'b', input: 'x' }], 'assistant'),
      'invalid_field',
      'messages.1.content.0.input',
    ],
    [
      'a result without its call',
      block([{ type: 'tool_result' }]),
      'missing_field',
      'messages.1.content.0.tool_use_id',
    ],
    [
      'a call inside a result',
      block([{ type: 'tool_result', tool_use_id: 'a', content: [{ type: 'tool_use' }] }]),
      'invalid_field',
      'messages.1.content.0.content.0.type',
    ],
    [
      'an unknown lifetime',
      block([{ type: 'text', text: 'x', cache_control: { type: 'ephemeral', ttl: '2h' } }]),
      'invalid_field',
      'messages.1.content.0.cache_control.ttl',
    ],
    ['an image without source', block([{ type: 'image' }]), 'missing_field', 'messages.1.content.0.source'],
    [
      'a tool without schema',
      { ...base, messages: [hello], tools: [{ name: 'f' }] },
      'missing_field',
      'tools.0.input_schema',
    ],
    ['tools that are no list', { ...base, messages: [hello], tools: {} }, 'invalid_field', 'tools'],
    [
      'a choice unknown here',
      { ...base, messages: [hello], tool_choice: { type: 'some' } },
      'invalid_field',
      'tool_choice.type',
    ],
    [
      'thinking without budget',
      { ...base, messages: [hello], thinking: { type: 'enabled' } },
      'missing_field',
      'thinking.budget_tokens',
    ],
    [
      'a temperature above one',
      { ...base, messages: [hello], temperature: 1.5 },
      'invalid_field',
      'temperature',
    ],
    [
      'an unknown effort',
      { ...base, messages: [hello], output_config: { effort: 'huge' } },
      'invalid_field',
      'output_config.effort',
    ],
    ['a system in numbers', { ...base, messages: [hello], system: 1 }, 'invalid_field', 'system'],
    [
      'an image in the system',
      { ...base, messages: [hello], system: [{ type: 'image', source: { type: 'url', url: 'u' } }] },
      'invalid_field',
      'system.0.type',
    ],
    [
      'a stop sequence in numbers',
      { ...base, messages: [hello], stop_sequences: ['a', 1] },
      'invalid_field',
      'stop_sequences.1',
    ],
    ['a stream in words', { ...base, messages: [hello], stream: 'yes' }, 'invalid_field', 'stream'],
  ]
  for (const [name, body, code, param] of faults) {
    it(`refuses ${name}`, () => {
      expect(faultOf(body)).toEqual([code, param])
    })
  }
})
