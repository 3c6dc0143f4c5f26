import { describe, expect, it } from 'vitest'
import type { SystemBlock } from '../../../canonical/content.ts'
import type { Loss } from '../../../canonical/loss.ts'
import type { ChatRequest, Reasoning, Turn } from '../../../canonical/request.ts'
import { isJsonArray, type JsonObject, type JsonValue } from '../../../kit/json/json.ts'
import { type Dialect, defaultDialect } from '../../dialect.ts'
import { writeRequest } from './write-request.ts'

const user: Turn = { role: 'user', content: [{ type: 'text', text: 'Hi' }] }

function write(
  request: Partial<ChatRequest>,
  dialect: Partial<Dialect> = {},
): { readonly body: JsonObject; readonly losses: readonly string[] } {
  const whole = { model: 'public', stream: false, turns: [user], ...request }
  const target = { model: 'upstream', dialect: { ...defaultDialect, ...dialect } }
  const { value, losses } = writeRequest(whole, target)
  return { body: value, losses: losses.map(said) }
}

function said({ feature, kind, field }: Loss): string {
  return field === undefined ? `${feature} ${kind}` : `${feature} ${kind} ${field}`
}

function messagesOf(turns: readonly Turn[], dialect: Partial<Dialect> = {}): readonly JsonValue[] {
  const { body } = write({ turns }, dialect)
  return isJsonArray(body['messages']) ? body['messages'] : []
}

const text = (words: string) => ({ type: 'text' as const, text: words })

describe('a request to a chat channel', () => {
  it('has the upstream’s model name, and requests usage in a stream', () => {
    expect(write({ stream: true }).body).toEqual({
      model: 'upstream',
      messages: [{ role: 'user', content: 'Hi' }],
      stream: true,
      stream_options: { include_usage: true },
    })
    expect(write({ stream: true }, { streamUsageOption: false }).body).not.toHaveProperty('stream_options')
    expect(write({}).body).not.toHaveProperty('stream')
  })

  it('names the cap and the system role as the dialect does', () => {
    const system: Turn = { role: 'system', authority: 'system', content: [text('s')] }
    const dialect = { maxTokensField: 'max_completion_tokens', systemRole: 'developer' } as const
    expect(write({ turns: [system, user], maxOutputTokens: 9 }, dialect).body).toMatchObject({
      max_completion_tokens: 9,
      messages: [{ role: 'developer', content: 's' }, { role: 'user' }],
    })
  })

  it('joins texts by line feeds when the server does not accept parts', () => {
    const two: Turn = { role: 'user', content: [text('a'), text('b')] }
    expect(messagesOf([two])).toEqual([{ role: 'user', content: [text('a'), text('b')] }])
    expect(messagesOf([two], { textParts: false })).toEqual([{ role: 'user', content: 'a\nb' }])
  })

  it('has neither a tool choice nor a parallel switch without tools, nor an empty list of tools', () => {
    const { body, losses } = write({ tools: [], toolChoice: { type: 'auto' }, parallelToolCalls: false })
    expect(Object.keys(body)).toEqual(['model', 'messages'])
    expect(losses).toEqual(['tool-choice dropped', 'parallel-tool-calls dropped'])
  })

  it('drops the tools that another provider runs, and the choice of one', () => {
    const value = { type: 'web_search_20250305', name: 'web_search' }
    const { body, losses } = write({
      tools: [
        { type: 'hosted', format: 'messages', value },
        { type: 'function', name: 'f' },
      ],
      toolChoice: { type: 'tool', name: 'web_search', kind: 'function' },
    })
    expect(body['tools']).toEqual([{ type: 'function', function: { name: 'f' } }])
    expect(losses).toEqual(['foreign-tool dropped web_search_20250305', 'tool-choice dropped'])
  })

  it('names each field of another format that it cannot carry', () => {
    const extras = { format: 'messages', fields: { x: 1 } } as const
    const { losses } = write({
      extras: { format: 'messages', fields: { context_management: {} } },
      tools: [
        { type: 'function', name: 'f', extras: { format: 'messages', fields: { defer_loading: true } } },
      ],
      turns: [{ role: 'user', content: [{ ...text('a'), extras }], extras }],
    })
    expect(losses).toEqual([
      'foreign-field dropped messages.content.x',
      'foreign-field dropped messages.x',
      'foreign-field dropped tools.defer_loading',
      'foreign-field dropped context_management',
    ])
  })

  it('has cache marks when the dialect accepts them', () => {
    const turns: readonly Turn[] = [{ role: 'user', content: [{ ...text('a'), cache: { lifetime: '1h' } }] }]
    expect(messagesOf(turns, { cacheMarks: true })).toEqual([
      { role: 'user', content: [{ ...text('a'), cache_control: { type: 'ephemeral', ttl: '1h' } }] },
    ])
    expect(write({ turns }).losses).toEqual(['cache-mark dropped'])
    expect(messagesOf(turns)).toEqual([{ role: 'user', content: 'a' }])
  })

  it('requests a schema, or JSON alone when no schema is given', () => {
    const outputFormat = { type: 'json-schema', schema: { type: 'object' } } as const
    expect(write({ outputFormat })).toMatchObject({
      body: {
        response_format: {
          type: 'json_schema',
          json_schema: { name: 'response', schema: { type: 'object' } },
        },
      },
      losses: [],
    })
    expect(write({ outputFormat }, { jsonSchema: false, toolChoices: 'auto' })).toMatchObject({
      body: { response_format: { type: 'json_object' } },
      losses: ['json-output approximated'],
    })
  })
})

describe('reasoning', () => {
  it.each<[Reasoning, string | undefined, readonly string[]]>([
    [{ effort: 'high' }, 'high', []],
    [{ mode: 'off' }, 'none', ['thinking-mode approximated']],
    [{ mode: 'on' }, 'medium', ['thinking-mode approximated']],
    [{ mode: 'adaptive' }, undefined, ['thinking-mode approximated']],
    [
      { mode: 'adaptive', effort: 'high', display: 'omitted' },
      'high',
      ['reasoning-display dropped', 'thinking-mode approximated'],
    ],
    [{ budgetTokens: 1024 }, 'minimal', ['reasoning-budget approximated']],
    [{ budgetTokens: 4096 }, 'low', ['reasoning-budget approximated']],
    [{ budgetTokens: 16_384 }, 'medium', ['reasoning-budget approximated']],
    [{ budgetTokens: 31_999 }, 'high', ['reasoning-budget approximated']],
  ])('%j is the effort %s', (reasoning, effort, losses) => {
    const written = write({ reasoning }, { reasoning: 'effort' })
    expect([written.body['reasoning_effort'], written.losses]).toEqual([effort, losses])
  })

  it('is lost, part by part, when the model accepts none', () => {
    const { body, losses } = write({ reasoning: { mode: 'on', effort: 'low', budgetTokens: 9 } })
    expect(body).not.toHaveProperty('reasoning_effort')
    expect(losses).toEqual(['thinking-mode dropped', 'reasoning-budget dropped', 'reasoning-effort dropped'])
  })

  const thought: Turn = {
    role: 'assistant',
    content: [
      { type: 'thinking', text: 'hm', signature: 's' },
      { type: 'redacted-thinking', data: 'd' },
      { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' },
    ],
  }

  const answered: Turn = {
    role: 'tool',
    results: [{ type: 'tool-result', callId: 'c', content: [], isError: false }],
  }

  it.each<[Dialect['reasoningReplay'], JsonObject, readonly string[]]>([
    ['none', {}, ['thinking-signature dropped', 'redacted-thinking dropped', 'thinking dropped']],
    [
      'reasoning_content',
      { reasoning_content: 'hm' },
      ['thinking-signature dropped', 'redacted-thinking dropped'],
    ],
    ['reasoning', { reasoning: 'hm' }, ['thinking-signature dropped', 'redacted-thinking dropped']],
    [
      'reasoning_details',
      {
        reasoning_details: [
          { type: 'reasoning.text', text: 'hm', signature: 's', index: 0 },
          { type: 'reasoning.encrypted', data: 'd', index: 1 },
        ],
      },
      [],
    ],
  ])('of earlier turns goes back as %s', (reasoningReplay, fields, losses) => {
    const tool_calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }]
    expect(messagesOf([thought, answered], { reasoningReplay })[0]).toEqual({
      role: 'assistant',
      content: null,
      tool_calls,
      ...fields,
    })
    expect(write({ turns: [thought, answered] }, { reasoningReplay }).losses).toEqual(losses)
  })
})

describe('tool results', () => {
  const image = { type: 'image', source: { type: 'url', url: 'https://a.b/c.png' } } as const
  const result = { type: 'tool-result', isError: false } as const
  const callsOf = (...ids: readonly string[]): Turn => ({
    role: 'assistant',
    content: ids.map((id) => ({ type: 'tool-call', id, name: 'f', kind: 'function', input: '{}' })),
  })

  it('are a message each, in the order of their arrival, with images in a message after them', () => {
    const turns: readonly Turn[] = [
      callsOf('a', 'b'),
      {
        role: 'tool',
        results: [
          { ...result, callId: 'b', content: [text('two'), image] },
          { ...result, callId: 'a', content: [text('one')] },
        ],
      },
      user,
    ]
    expect(messagesOf(turns).slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'b', content: 'two' },
      { role: 'tool', tool_call_id: 'a', content: 'one' },
      {
        role: 'user',
        content: [
          text('Attached to the result of the tool call b:'),
          { type: 'image_url', image_url: { url: 'https://a.b/c.png' } },
        ],
      },
      { role: 'user', content: 'Hi' },
    ])
    expect(write({ turns }).losses).toEqual(['tool-result-content approximated'])
  })

  it.each([
    ['boom', 'Error: boom'],
    ['Error: boom', 'Error: boom'],
    ['<tool_use_error>boom</tool_use_error>', '<tool_use_error>boom</tool_use_error>'],
  ])('that failed are marked as errors: %s', (words, expected) => {
    const turns: readonly Turn[] = [
      callsOf('a'),
      { role: 'tool', results: [{ ...result, callId: 'a', content: [text(words)], isError: true }] },
    ]
    expect(messagesOf(turns).slice(1)).toEqual([{ role: 'tool', tool_call_id: 'a', content: expected }])
    expect(write({ turns }).losses).toEqual(['tool-result-error approximated'])
  })

  it('may be empty', () => {
    const turns: readonly Turn[] = [
      callsOf('a'),
      { role: 'tool', results: [{ ...result, callId: 'a', content: [] }] },
    ]
    expect(messagesOf(turns).slice(1)).toEqual([{ role: 'tool', tool_call_id: 'a', content: '' }])
  })
})

describe('documents', () => {
  it('are files with a name, text if they are text, and lost if they have an address', () => {
    const content = [
      {
        type: 'document',
        source: { type: 'base64', mediaType: 'application/pdf', data: 'AA' },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'text', text: 'words' }, title: 't' },
      { type: 'document', source: { type: 'url', url: 'https://a.b/c.pdf' } },
      { type: 'opaque', format: 'messages', value: { type: 'container_upload' } },
    ] as const
    const turns: readonly Turn[] = [{ role: 'user', content }]
    expect(messagesOf(turns)).toEqual([
      {
        role: 'user',
        content: [
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA' } },
          text('t\n\nwords'),
        ],
      },
    ])
    expect(write({ turns }).losses).toEqual([
      'document approximated',
      'document dropped',
      'foreign-block dropped container_upload',
    ])
  })

  it.each([
    ['text/csv', 'a,b', 'cities'],
    ['application/json; charset=utf-8', '{"a":"é"}', 'a.json'],
  ])(
    'of text are text also by their bytes, since only PDF files are files: %s',
    (mediaType, words, title) => {
      const data = Buffer.from(words).toString('base64')
      const document = { type: 'document', source: { type: 'base64', mediaType, data }, title } as const
      const { body, losses } = write({ turns: [{ role: 'user', content: [document] }] })
      expect(JSON.stringify(body['messages'])).toContain(JSON.stringify(`${title}\n\n${words}`))
      expect(losses).toEqual(['document approximated'])
    },
  )

  it('a prompt begins the same with any foreign billing header, so that its prefix stays cached', () => {
    const header = (version: string): SystemBlock => ({
      type: 'opaque',
      format: 'messages',
      name: 'x-anthropic-billing-header',
      value: { type: 'text', text: `x-anthropic-billing-header: cc_version=${version}` },
    })
    const turnsWith = (version: string): readonly Turn[] => [
      { role: 'system', authority: 'system', content: [header(version), text('You are an agent.')] },
      user,
    ]
    const { body, losses } = write({ turns: turnsWith('1') })
    expect(body['messages']).toEqual([
      { role: 'system', content: 'You are an agent.' },
      { role: 'user', content: 'Hi' },
    ])
    expect(losses).toEqual(['foreign-block dropped x-anthropic-billing-header'])
    expect(write({ turns: turnsWith('2') }).body).toEqual(body)
  })
})
