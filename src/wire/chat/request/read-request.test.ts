import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../../canonical/failure.ts'
import type { Turn } from '../../../canonical/request.ts'
import type { JsonObject, JsonValue } from '../../../kit/json/json.ts'
import { readRequest } from './read-request.ts'

const user = { role: 'user', content: 'Hi' }

function turns(...messages: JsonValue[]): readonly Turn[] {
  return readRequest({ model: 'm', messages }).turns
}

function refusal(body: JsonObject): readonly (string | undefined)[] {
  try {
    readRequest(body)
  } catch (error) {
    if (error instanceof GatewayError) return [error.failure.code, error.failure.param]
  }
  return ['taken']
}

const text = (words: string) => ({ type: 'text', text: words })

describe('an invalid request', () => {
  it.each([
    ['missing_field', 'model', { messages: [user] }],
    ['invalid_field', 'model', { model: 7, messages: [user] }],
    ['missing_field', 'messages', { model: 'm' }],
    ['missing_field', 'messages', { model: 'm', messages: null }],
    ['invalid_field', 'messages', { model: 'm', messages: [] }],
    ['invalid_field', 'messages', { model: 'm', messages: {} }],
    ['invalid_field', 'messages[1]', { model: 'm', messages: [user, 'x'] }],
    ['missing_field', 'messages[0].role', { model: 'm', messages: [{ content: 'x' }] }],
    ['invalid_field', 'messages[0].role', { model: 'm', messages: [{ role: 'robot', content: 'x' }] }],
    ['invalid_field', 'messages[0].content', { model: 'm', messages: [{ role: 'user', content: 7 }] }],
    [
      'invalid_field',
      'messages[0].content[0].text',
      { model: 'm', messages: [{ role: 'user', content: [{ type: 'text', text: 1 }] }] },
    ],
    [
      'missing_field',
      'messages[0].content[1].type',
      { model: 'm', messages: [{ role: 'user', content: [text('a'), {}] }] },
    ],
    ['missing_field', 'messages[0].tool_call_id', { model: 'm', messages: [{ role: 'tool', content: 'x' }] }],
    [
      'invalid_field',
      'messages[0].tool_calls[0].function.arguments',
      {
        model: 'm',
        messages: [{ role: 'assistant', tool_calls: [{ id: 'a', function: { name: 'f', arguments: {} } }] }],
      },
    ],
    [
      'invalid_field',
      'messages[0].tool_calls[0].type',
      { model: 'm', messages: [{ role: 'assistant', tool_calls: [{ id: 'a', type: 'x' }] }] },
    ],
    ['invalid_field', 'stream', { model: 'm', messages: [user], stream: 'yes' }],
    ['invalid_field', 'max_tokens', { model: 'm', messages: [user], max_tokens: 0 }],
    [
      'invalid_field',
      'max_tokens',
      { model: 'm', messages: [user], max_tokens: 1, max_completion_tokens: 2 },
    ],
    ['invalid_field', 'n', { model: 'm', messages: [user], n: 1.5 }],
    ['invalid_field', 'temperature', { model: 'm', messages: [user], temperature: '1' }],
    ['invalid_field', 'stop[1]', { model: 'm', messages: [user], stop: ['a', 1] }],
    [
      'missing_field',
      'tools[0].function.name',
      { model: 'm', messages: [user], tools: [{ type: 'function', function: {} }] },
    ],
    [
      'invalid_field',
      'tools[0].function.parameters',
      { model: 'm', messages: [user], tools: [{ function: { name: 'f', parameters: [] } }] },
    ],
    ['invalid_field', 'tool_choice', { model: 'm', messages: [user], tool_choice: 'sometimes' }],
    [
      'missing_field',
      'tool_choice.function',
      { model: 'm', messages: [user], tool_choice: { type: 'function' } },
    ],
    [
      'missing_field',
      'response_format.json_schema.name',
      { model: 'm', messages: [user], response_format: { type: 'json_schema', json_schema: {} } },
    ],
    ['invalid_field', 'stream_options', { model: 'm', messages: [user], stream_options: [] }],
  ])('is refused with %s at %s', (code, param, body) => {
    expect(refusal(body)).toEqual([code, param])
  })

  it('is not refused for fields that are null', () => {
    const nulls = {
      stop: null,
      tools: null,
      tool_choice: null,
      stream: null,
      n: null,
      metadata: null,
      user: null,
    }
    expect(readRequest({ model: 'm', messages: [user], ...nulls })).toEqual({
      model: 'm',
      stream: false,
      turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
    })
  })
})

it('a stop sequence that is empty is omitted, since other services refuse it', () => {
  const stopsOf = (stop: JsonValue) => readRequest({ model: 'm', messages: [user], stop }).stopSequences
  expect([stopsOf(''), stopsOf(['']), stopsOf(['', 'END'])]).toEqual([undefined, undefined, ['END']])
})

describe('messages', () => {
  it('of the system may have any position, and either of two roles', () => {
    expect(
      turns({ role: 'developer', content: 'a' }, user, { role: 'system', content: [text('b')] }),
    ).toEqual([
      { role: 'system', authority: 'developer', content: [{ type: 'text', text: 'a' }] },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'system', authority: 'system', content: [{ type: 'text', text: 'b' }] },
    ])
  })

  it('of consecutive tool results make one turn', () => {
    const calls = ['a', 'b'].map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } }))
    const found = turns(
      { role: 'assistant', content: null, tool_calls: calls },
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'tool', tool_call_id: 'a', content: [text('one')] },
      user,
    )
    expect(found.map(({ role }) => role)).toEqual(['assistant', 'tool', 'user'])
    expect(found[1]).toEqual({
      role: 'tool',
      results: [
        { type: 'tool-result', callId: 'b', content: [{ type: 'text', text: 'two' }], isError: false },
        { type: 'tool-result', callId: 'a', content: [{ type: 'text', text: 'one' }], isError: false },
      ],
    })
  })

  it('in the legacy form name functions, which become calls with ids', () => {
    const found = turns(
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
      { role: 'function', name: 'f', content: 'r' },
    )
    expect(found).toEqual([
      {
        role: 'assistant',
        content: [{ type: 'tool-call', id: 'call_function_1', name: 'f', kind: 'function', input: '{}' }],
      },
      {
        role: 'tool',
        results: [
          {
            type: 'tool-result',
            callId: 'call_function_1',
            content: [{ type: 'text', text: 'r' }],
            isError: false,
          },
        ],
      },
    ])
  })

  it('of the assistant return its reasoning, from any of three fields', () => {
    const said = (fields: JsonObject) => turns({ role: 'assistant', content: 'x', ...fields })[0]
    const words = { type: 'text', text: 'x' }
    const thought = { type: 'thinking', text: 'hm' }
    for (const name of ['reasoning_content', 'reasoning']) {
      expect(said({ [name]: 'hm' })).toEqual({ role: 'assistant', content: [thought, words] })
    }
    const details = [
      { type: 'reasoning.text', text: 'h', index: 0 },
      { type: 'reasoning.text', text: 'm', signature: 's', index: 0 },
    ]
    expect(said({ reasoning: 'hm', reasoning_details: details })).toEqual({
      role: 'assistant',
      content: [{ ...thought, signature: 's' }, words],
    })
  })

  it('hold images, audio, files and videos in parts', () => {
    const found = turns({
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
        { type: 'image_url', image_url: 'https://a.b/c.png' },
        { type: 'input_audio', input_audio: { data: 'AA', format: 'wav' } },
        { type: 'file', file: { file_data: 'data:application/pdf;base64,BB', filename: 'a.pdf' } },
        { type: 'file', file: { file_id: 'f1' } },
        { type: 'video_url', video_url: { url: 'https://a.b/c.mp4' } },
        { type: 'hologram', x: 1 },
      ],
    })[0]
    expect(found).toEqual({
      role: 'user',
      content: [
        { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' }, detail: 'low' },
        { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } },
        { type: 'audio', data: 'AA', encoding: 'wav' },
        {
          type: 'document',
          source: { type: 'base64', mediaType: 'application/pdf', data: 'BB' },
          title: 'a.pdf',
        },
        { type: 'document', source: { type: 'file', fileId: 'f1' } },
        { type: 'video', source: { type: 'url', url: 'https://a.b/c.mp4' } },
        { type: 'opaque', format: 'chat', value: { type: 'hologram', x: 1 } },
      ],
    })
  })

  it('may have cache marks, on the whole or on a part', () => {
    const mark = { type: 'ephemeral', ttl: '1h' }
    const found = turns(
      { role: 'system', content: 's', cache_control: { type: 'ephemeral' } },
      {
        role: 'user',
        content: [
          { ...text('a'), cache_control: mark },
          { ...text('b'), cache_control: 'odd' },
        ],
      },
    )
    expect(found).toEqual([
      { role: 'system', authority: 'system', content: [{ type: 'text', text: 's', cache: {} }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'a', cache: { lifetime: '1h' } },
          { type: 'text', text: 'b', extras: { format: 'chat', fields: { cache_control: 'odd' } } },
        ],
      },
    ])
  })
})

describe('tools and choices', () => {
  it('are functions, custom tools, or the provider’s own tools', () => {
    const { tools } = readRequest({
      model: 'm',
      messages: [user],
      tools: [
        { type: 'function', function: { name: 'f', strict: null, parameters: { type: 'object' } } },
        { type: 'custom', custom: { name: 'c' } },
        { type: 'openrouter:web_search' },
      ],
      functions: [{ name: 'g' }],
    })
    expect(tools).toEqual([
      { type: 'function', name: 'f', parameters: { type: 'object' } },
      { type: 'custom', name: 'c' },
      { type: 'hosted', format: 'chat', value: { type: 'openrouter:web_search' } },
      { type: 'function', name: 'g' },
    ])
  })

  it.each([
    ['auto', { type: 'auto' }],
    ['any', { type: 'required' }],
    [
      { type: 'function', function: { name: 'f' } },
      { type: 'tool', name: 'f', kind: 'function' },
    ],
    [{ function: { name: 'f' } }, { type: 'tool', name: 'f', kind: 'function' }],
    [
      { type: 'custom', custom: { name: 'c' } },
      { type: 'tool', name: 'c', kind: 'custom' },
    ],
    [
      { type: 'allowed_tools', allowed_tools: { mode: 'required', tools: [{ type: 'function' }] } },
      { type: 'allowed', mode: 'required', tools: [{ type: 'function' }] },
    ],
  ])('may be %j', (choice: JsonValue, expected) => {
    expect(readRequest({ model: 'm', messages: [user], tool_choice: choice }).toolChoice).toEqual(expected)
  })
})
