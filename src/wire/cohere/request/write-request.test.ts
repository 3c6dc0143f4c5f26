import { describe, expect, it, test } from 'vitest'
import type { ChatRequest, Turn } from '../../../canonical/request.ts'
import type { JsonObject } from '../../../kit/json/json.ts'
import { defaultDialect } from '../../dialect.ts'
import { possibleLosses } from './possible-losses.ts'
import { writeRequest } from './write-request.ts'

const hello: Turn = { role: 'user', content: [{ type: 'text', text: 'Hello' }] }
const plain: ChatRequest = { model: 'fast', turns: [hello], stream: false }

interface Models {
  readonly reasoning?: 'none' | 'effort'
  readonly toolChoices?: 'words' | 'auto'
}

function write(request: Partial<ChatRequest>, models: Models = {}) {
  const written = writeRequest(
    { ...plain, ...request },
    { model: 'command-a', dialect: { ...defaultDialect, toolChoices: 'words', ...models } },
  )
  for (const { feature } of written.losses) expect(possibleLosses).toContain(feature)
  const losses = written.losses.map(
    ({ feature, kind, field }) => `${feature}${field === undefined ? '' : `(${field})`}=${kind}`,
  )
  return { body: written.value, losses }
}

function messagesOf(turns: readonly Turn[], models: Models = {}) {
  const { body, losses } = write({ turns }, models)
  return { messages: body['messages'], losses }
}

test('a plain question has no other fields', () => {
  expect(write({}).body).toEqual({ model: 'command-a', messages: [{ role: 'user', content: 'Hello' }] })
  expect(write({ stream: true }).body).toMatchObject({ stream: true })
})

test('sampling parameters have the provider’s names', () => {
  const { body, losses } = write({
    maxOutputTokens: 9,
    temperature: 0.5,
    topP: 0.9,
    topK: 40,
    frequencyPenalty: 0.1,
    presencePenalty: 0.2,
    seed: 7,
    stopSequences: ['END'],
  })
  expect(body).toMatchObject({
    max_tokens: 9,
    temperature: 0.5,
    p: 0.9,
    k: 40,
    frequency_penalty: 0.1,
    presence_penalty: 0.2,
    seed: 7,
    stop_sequences: ['END'],
  })
  expect(losses).toEqual([])
})

test('a value outside the provider’s range becomes the nearest inside it, declared', () => {
  const { body, losses } = write({
    topP: 1,
    topK: 900,
    frequencyPenalty: 1.5,
    presencePenalty: -1,
    seed: -3,
    stopSequences: ['1', '2', '3', '4', '5', '6'],
  })
  expect(body).toMatchObject({
    p: 0.99,
    k: 500,
    frequency_penalty: 1,
    presence_penalty: 0,
    stop_sequences: ['1', '2', '3', '4', '5'],
  })
  expect(body).not.toHaveProperty('seed')
  expect(losses).toEqual([
    'sampling(top_p)=approximated',
    'top-k=approximated',
    'frequency-penalty=approximated',
    'presence-penalty=approximated',
    'seed=dropped',
    'stop-sequences=approximated',
  ])
})

test('a field without an equivalent is declared, by its name', () => {
  const { losses } = write({
    choices: 2,
    logprobs: true,
    logitBias: { '1': 1 },
    verbosity: 'low',
    endUser: 'u',
    serviceTier: 'flex',
    cache: {},
    parallelToolCalls: false,
    toolChoice: { type: 'required' },
    extras: { format: 'chat', fields: { store: true, safety_mode: 'STRICT' } },
  })
  expect(losses).toEqual([
    'choices=dropped',
    'logprobs=dropped',
    'logit-bias=dropped',
    'verbosity=dropped',
    'end-user=dropped',
    'service-tier=dropped',
    'cache-mark=dropped',
    'parallel-tool-calls=dropped',
    'tool-choice=dropped',
    'foreign-field(store)=dropped',
  ])
})

test('fields of this provider alone pass from any caller format, and override none of ours', () => {
  const fields: JsonObject = {
    safety_mode: 'OFF',
    documents: [{ id: 'doc:0', data: { text: 'Ruby is from 1993.' } }],
    citation_options: { mode: 'FAST' },
  }
  const { body, losses } = write({ extras: { format: 'messages', fields } })
  expect(body).toMatchObject(fields)
  expect(losses).toEqual([])
})

describe('thinking', () => {
  it.each([
    [{ mode: 'off' }, { type: 'disabled' }, []],
    [{ effort: 'none' }, { type: 'disabled' }, []],
    [{ mode: 'on' }, { type: 'enabled' }, []],
    [{ mode: 'on', budgetTokens: 2000 }, { type: 'enabled', token_budget: 2000 }, []],
    [{ effort: 'low' }, { type: 'enabled', token_budget: 4096 }, ['reasoning-effort=approximated']],
    [{ effort: 'high' }, { type: 'enabled' }, ['reasoning-effort=approximated']],
    [{ mode: 'adaptive' }, { type: 'enabled' }, ['thinking-mode=approximated']],
  ] as const)('of %j is requested as %j', (reasoning, thinking, losses) => {
    const written = write({ reasoning }, { reasoning: 'effort' })
    expect(written.body['thinking']).toEqual(thinking)
    expect(written.losses).toEqual(losses)
  })

  it('is not requested from a model without it, and that is a loss unless thinking was off', () => {
    const asked = write({ reasoning: { effort: 'high', budgetTokens: 9, mode: 'on' } })
    expect(asked.body).not.toHaveProperty('thinking')
    expect(asked.losses).toEqual([
      'thinking-mode=dropped',
      'reasoning-budget=dropped',
      'reasoning-effort=dropped',
    ])
    expect(write({ reasoning: { mode: 'off' } })).toEqual({ body: write({}).body, losses: [] })
  })
})

describe('tools', () => {
  const tool = { type: 'function', name: 'get_weather', parameters: { type: 'object' } } as const
  const written = { type: 'function', function: { name: 'get_weather', parameters: { type: 'object' } } }

  it.each([
    [{ type: 'auto' }, undefined, []],
    [{ type: 'none' }, 'NONE', []],
    [{ type: 'required' }, 'REQUIRED', []],
    [{ type: 'tool', name: 'get_weather', kind: 'function' }, 'REQUIRED', ['tool-choice=approximated']],
  ] as const)('with the choice %j have %s', (toolChoice, word, losses) => {
    const { body, losses: declared } = write({ tools: [tool], toolChoice })
    expect(body['tools']).toEqual([written])
    expect(body['tool_choice']).toBe(word)
    expect(declared).toEqual(losses)
  })

  it('with one chosen by name are that one alone', () => {
    const other = { type: 'function', name: 'get_time' } as const
    const toolChoice = { type: 'tool', name: 'get_weather', kind: 'function' } as const
    expect(write({ tools: [other, tool], toolChoice }).body['tools']).toEqual([written])
    const allowed = {
      type: 'allowed',
      mode: 'auto',
      tools: [{ type: 'function', function: { name: 'get_weather' } }],
    } as const
    const { body } = write({ tools: [other, tool], toolChoice: allowed })
    expect([body['tools'], body['tool_choice']]).toEqual([[written], undefined])
  })

  it('cannot be forced on a model that knows no choice, and are left out when calls are forbidden', () => {
    const forced = write({ tools: [tool], toolChoice: { type: 'required' } }, { toolChoices: 'auto' })
    expect([forced.body['tool_choice'], forced.losses]).toEqual([undefined, ['tool-choice=approximated']])
    const forbidden = write({ tools: [tool], toolChoice: { type: 'none' } }, { toolChoices: 'auto' })
    expect(forbidden.body).not.toHaveProperty('tools')
  })

  it('are all strict or none', () => {
    expect(write({ tools: [{ ...tool, strict: true }] }).body['strict_tools']).toBe(true)
    const mixed = write({
      tools: [
        { ...tool, strict: true },
        { ...tool, name: 'b' },
      ],
    })
    expect(mixed.body).not.toHaveProperty('strict_tools')
    expect(mixed.losses).toEqual(['tool-strict=dropped'])
  })

  it('have names in the provider’s letters, and answers have the caller’s names', () => {
    const target = { model: 'm', dialect: defaultDialect }
    const request: ChatRequest = { ...plain, tools: [{ ...tool, name: 'mcp-files.read' }] }
    const { value, callerTools, losses } = writeRequest(request, target)
    const [name = ''] = [...(callerTools?.keys() ?? [])]
    expect(name).toMatch(/^mcp_files_read_[0-9a-f]{8}$/)
    expect(JSON.stringify(value)).toContain(`"name":"${name}"`)
    expect(callerTools?.get(name)).toEqual({ name: 'mcp-files.read', kind: 'function' })
    expect(losses).toEqual([{ feature: 'tool-name', kind: 'approximated' }])
  })

  it('with free text have an object with that text', () => {
    const { body, losses } = write({ tools: [{ type: 'custom', name: 'shell', grammar: {} }] })
    expect(body['tools']).toMatchObject([
      { type: 'function', function: { name: 'shell', parameters: { required: ['input'] } } },
    ])
    expect(losses).toEqual(['custom-tool=approximated', 'custom-tool(tools.custom.format)=dropped'])
  })
})

describe('a JSON answer', () => {
  const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }

  it('is requested with its schema, or without', () => {
    const outputFormat = { type: 'json-schema', name: 'n', strict: true, schema } as const
    expect(write({ outputFormat })).toMatchObject({
      body: { response_format: { type: 'json_object', json_schema: schema } },
      losses: [],
    })
    expect(write({ outputFormat: { type: 'json' } }).body['response_format']).toEqual({ type: 'json_object' })
    expect(write({ outputFormat: { type: 'text' } }).body).not.toHaveProperty('response_format')
  })

  it('is requested in the prompt beside tools, when the provider refuses the field', () => {
    const { body, losses } = write({
      outputFormat: { type: 'json-schema', schema },
      tools: [{ type: 'function', name: 'f' }],
    })
    expect(body).not.toHaveProperty('response_format')
    expect(body['messages']).toMatchObject([
      { role: 'system', content: expect.stringContaining(JSON.stringify(schema)) },
      { role: 'user' },
    ])
    expect(losses).toEqual(['json-output=approximated'])
  })
})

describe('a conversation', () => {
  it('has the system prompt, images by address or bytes, and texts unchanged', () => {
    const { messages, losses } = messagesOf([
      { role: 'system', authority: 'developer', content: [{ type: 'text', text: 'Be brief.' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image', source: { type: 'base64', mediaType: 'image/png', data: 'AAAA' }, detail: 'low' },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } },
        ],
      },
    ])
    expect(messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'What is this?' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'https://example.com/a.png' } },
        ],
      },
    ])
    expect(losses).toEqual([])
  })

  it('has documents as text, and leaves out unsupported content', () => {
    const { messages, losses } = messagesOf([
      {
        role: 'user',
        content: [
          { type: 'document', title: 'Facts', source: { type: 'text', text: 'Ruby is from 1993.' } },
          { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } },
          { type: 'audio', data: 'AA', encoding: 'wav' },
          { type: 'opaque', format: 'messages', value: { type: 'container_upload' } },
        ],
      },
    ])
    expect(messages).toEqual([{ role: 'user', content: 'Facts\n\nRuby is from 1993.' }])
    expect(losses).toEqual([
      'document=approximated',
      'document=dropped',
      'audio=dropped',
      'foreign-block(container_upload)=dropped',
    ])
  })

  const called: Turn = {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'I need the weather.' },
      { type: 'tool-call', id: 'c1', name: 'get_weather', kind: 'function', input: '{"city":"Rome"}' },
    ],
  }
  const call = { id: 'c1', type: 'function', function: { name: 'get_weather', arguments: '{"city":"Rome"}' } }

  it('returns thinking before calls as the plan, or as thinking to a model that thinks', () => {
    expect(messagesOf([hello, called]).messages).toMatchObject([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', tool_plan: 'I need the weather.', tool_calls: [call] },
      { role: 'tool', tool_call_id: 'c1' },
    ])
    expect(messagesOf([hello, called], { reasoning: 'effort' }).messages).toMatchObject([
      { role: 'user' },
      { content: [{ type: 'thinking', thinking: 'I need the weather.' }], tool_calls: [call] },
      { role: 'tool' },
    ])
  })

  it('drops thinking without a following call when the model does not think, declared', () => {
    const { messages, losses } = messagesOf([
      hello,
      {
        role: 'assistant',
        content: [
          { type: 'thinking', text: 'Hm.', signature: 's' },
          { type: 'redacted-thinking', data: 'd' },
          { type: 'text', text: 'Hi.' },
        ],
      },
      hello,
    ])
    expect(messages).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Hi.' },
      { role: 'user', content: 'Hello' },
    ])
    expect(losses).toEqual(['thinking-signature=dropped', 'redacted-thinking=dropped', 'thinking=dropped'])
  })

  it('has tool results as texts and documents, failures marked in text, and images after them', () => {
    const other = { type: 'tool-call', id: 'c2', name: 'get_weather', kind: 'function', input: '{}' } as const
    const { messages, losses } = messagesOf([
      hello,
      { ...called, content: [...called.content, other] },
      {
        role: 'tool',
        results: [
          {
            type: 'tool-result',
            callId: 'c1',
            isError: false,
            content: [
              { type: 'text', text: '15°C' },
              {
                type: 'search-result',
                source: 'https://example.com/rome',
                title: 'Rome',
                content: [{ type: 'text', text: 'Sunny.' }],
              },
              { type: 'image', source: { type: 'url', url: 'https://example.com/sky.png' } },
            ],
          },
          {
            type: 'tool-result',
            callId: 'c2',
            isError: true,
            content: [{ type: 'text', text: 'No such city' }],
          },
        ],
      },
    ])
    expect(messages).toMatchObject([
      { role: 'user' },
      { role: 'assistant' },
      {
        role: 'tool',
        tool_call_id: 'c1',
        content: [
          { type: 'text', text: '15°C' },
          {
            type: 'document',
            document: { data: { title: 'Rome', text: 'Sunny.', url: 'https://example.com/rome' } },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'c2', content: 'Error: No such city' },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Attached to the result of the tool call c1:' },
          { type: 'image_url', image_url: { url: 'https://example.com/sky.png' } },
        ],
      },
    ])
    expect(losses).toEqual(['tool-result-error=approximated', 'tool-result-content=approximated'])
  })

  it('ends with the user, since the provider refuses an assistant’s message as the last', () => {
    const said: Turn = { role: 'assistant', content: [{ type: 'text', text: 'Once' }] }
    const { messages, losses } = messagesOf([hello, said])
    expect(messages).toMatchObject([{}, { role: 'assistant' }, { role: 'user', content: 'Continue.' }])
    expect(losses).toEqual(['turn-order=approximated'])
  })

  it('leaves out an empty turn, since the provider refuses it', () => {
    const { messages, losses } = messagesOf([hello, { role: 'assistant', content: [] }, hello])
    expect(messages).toHaveLength(2)
    expect(losses).toEqual(['turn-order=approximated'])
  })
})
