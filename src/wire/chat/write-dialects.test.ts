import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../canonical/request.ts'
import { type Dialect, defaultDialect } from '../dialect.ts'
import { paramOf } from './request/possible-losses.ts'
import { writeRequest } from './request/write-request.ts'

const plain: ChatRequest = {
  model: 'm',
  turns: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
  stream: false,
}

const tools: ChatRequest['tools'] = [
  { type: 'function', name: 'add', parameters: { type: 'object', properties: {} }, strict: true },
]

function write(request: Partial<ChatRequest>, dialect: Partial<Dialect>) {
  const { value, losses } = writeRequest(
    { ...plain, ...request },
    { model: 'm', dialect: { ...defaultDialect, ...dialect } },
  )
  return { body: value, lost: losses.map((loss) => `${paramOf(loss)} ${loss.kind}`) }
}

describe('the effort of reasoning', () => {
  it.each([
    ['low', ['none', 'high'], 'high'],
    ['medium', ['low', 'high', 'max'], 'high'],
    ['minimal', ['low', 'medium', 'high'], 'low'],
    ['max', ['low', 'medium', 'high'], 'high'],
    ['none', ['low', 'medium', 'high'], 'low'],
  ] as const)('%s among %j is sent as %s, declared', (effort, efforts, sent) => {
    const { body, lost } = write({ reasoning: { effort } }, { reasoning: 'effort', efforts: [...efforts] })
    expect(body['reasoning_effort']).toBe(sent)
    expect(lost).toEqual(['reasoning_effort approximated'])
  })

  it('is dropped, rather than turned off, if the server knows only “none”', () => {
    const { body, lost } = write(
      { reasoning: { effort: 'high' } },
      { reasoning: 'effort', efforts: ['none'] },
    )
    expect(body).not.toHaveProperty('reasoning_effort')
    expect(lost).toEqual(['reasoning_effort dropped'])
  })

  it('is a switch, with an effort beside it if the server accepts one', () => {
    const asked = { reasoning: { mode: 'on', effort: 'high' } } as const
    expect(write(asked, { reasoning: 'thinking' }).body).toMatchObject({
      thinking: { type: 'enabled' },
      reasoning_effort: 'high',
    })
    const alone = write(asked, { reasoning: 'adaptive_thinking', efforts: [] })
    expect(alone.body['thinking']).toEqual({ type: 'adaptive' })
    expect(alone.lost).toEqual(['reasoning_effort dropped'])
    for (const reasoning of [{ mode: 'off' }, { effort: 'none' }] as const) {
      const off = write({ reasoning }, { reasoning: 'thinking' })
      expect(off.body['thinking']).toEqual({ type: 'disabled' })
      expect(off.body).not.toHaveProperty('reasoning_effort')
      expect(off.lost).toEqual([])
    }
  })

  it('is a switch with a budget', () => {
    const { body, lost } = write(
      { reasoning: { mode: 'on', budgetTokens: 2048 } },
      { reasoning: 'enable_thinking' },
    )
    expect(body).toMatchObject({ enable_thinking: true, thinking_budget: 2048 })
    expect(lost).toEqual([])
    expect(write({ reasoning: { mode: 'off' } }, { reasoning: 'enable_thinking' }).body).toMatchObject({
      enable_thinking: false,
    })
  })
})

describe('reasoning of earlier turns', () => {
  const spoken: ChatRequest['turns'] = [
    ...plain.turns,
    {
      role: 'assistant',
      content: [
        { type: 'thinking', text: 'Easy.' },
        { type: 'text', text: '4' },
      ],
    },
    { role: 'user', content: [{ type: 'text', text: 'Sure?' }] },
  ]

  it('is among the parts of the content for Mistral', () => {
    const { body, lost } = write({ turns: spoken }, { reasoningReplay: 'thinking_parts' })
    expect(body['messages']).toMatchObject([
      {},
      {
        content: [
          { type: 'thinking', thinking: [{ type: 'text', text: 'Easy.' }] },
          { type: 'text', text: '4' },
        ],
      },
      {},
    ])
    expect(lost).toEqual([])
  })

  it('has a default when the server requires reasoning and the turn has none', () => {
    const turns: ChatRequest['turns'] = [
      ...plain.turns,
      { role: 'assistant', content: [{ type: 'text', text: '4' }] },
    ]
    const dialect = { reasoningReplay: 'reasoning_content', missingReasoning: ' ' } as const
    const { body, lost } = write({ turns }, dialect)
    expect(body['messages']).toMatchObject([{}, { content: '4', reasoning_content: ' ' }])
    expect(lost).toEqual(['messages.reasoning_content defaulted'])
    expect(write({ turns: spoken }, dialect).body['messages']).toMatchObject([
      {},
      { reasoning_content: 'Easy.' },
      {},
    ])
  })
})

describe('a tool choice', () => {
  const named = { type: 'tool', name: 'add', kind: 'function' } as const

  it.each([
    ['all', { type: 'required' }, 'required', []],
    ['words', named, 'required', ['tool_choice approximated']],
    ['unforced-thinking', named, 'auto', ['tool_choice approximated']],
    ['auto', { type: 'required' }, 'auto', ['tool_choice approximated']],
    ['words', { type: 'none' }, 'none', []],
  ] as const)(
    'with the support %s and the value %j is sent as %s',
    (toolChoices, toolChoice, sent, losses) => {
      const { body, lost } = write({ tools, toolChoice }, { toolChoices })
      expect(body['tool_choice']).toBe(sent)
      expect(lost).toEqual(losses)
    },
  )

  it('may force a call when the caller turned thinking off', () => {
    const request = { tools, toolChoice: named, reasoning: { mode: 'off' } } as const
    const { body } = write(request, { toolChoices: 'unforced-thinking', reasoning: 'thinking' })
    expect(body).toMatchObject({ tool_choice: { type: 'function' }, thinking: { type: 'disabled' } })
  })

  it('forbids calls by offering no tools when only auto is supported', () => {
    const { body, lost } = write({ tools, toolChoice: { type: 'none' } }, { toolChoices: 'auto' })
    expect(body).not.toHaveProperty('tools')
    expect(lost).toEqual(['tool_choice dropped'])
  })

  it('forces a call by the server’s own keyword', () => {
    const { body } = write({ tools, toolChoice: { type: 'required' } }, { forcedToolWord: 'any' })
    expect(body['tool_choice']).toBe('any')
  })

  it('leaves out strictness when the server does not support it', () => {
    const { body, lost } = write({ tools }, { toolStrict: false })
    expect(body['tools']).toEqual([
      { type: 'function', function: { name: 'add', parameters: { type: 'object', properties: {} } } },
    ])
    expect(lost).toEqual(['tools.function.strict dropped'])
  })
})

describe('calls and their results', () => {
  const called = (id: string): ChatRequest['turns'] => [
    ...plain.turns,
    {
      role: 'assistant',
      content: [{ type: 'tool-call', id, kind: 'function', name: 'add', input: '{}' }],
    },
    {
      role: 'tool',
      results: [{ type: 'tool-result', callId: id, content: [{ type: 'text', text: '4' }], isError: false }],
    },
  ]

  it('have ids of nine characters when the server requires that, the same for a call and its result', () => {
    const idsOf = (id: string) => {
      const { body } = write({ turns: called(id) }, { toolCallIds: 'nine-characters' })
      return JSON.stringify(body['messages']).match(/"(?:id|tool_call_id)":"([^"]*)"/g) ?? []
    }
    expect(idsOf('aB3dE6gH9')).toEqual(['"id":"aB3dE6gH9"', '"tool_call_id":"aB3dE6gH9"'])
    const [call, result] = idsOf('toolu_01A09q90qw90lq917835lq9').map((text) => text.split('"').at(-2))
    expect(call).toMatch(/^[A-Za-z0-9]{9}$/)
    expect(result).toBe(call)
    expect(idsOf('toolu_other')[0]).not.toContain(call)
  })

  it('become text of the user when the server knows no tools', () => {
    const { body, lost } = write({ turns: called('a'), tools }, { tools: false, turnOrder: 'alternating' })
    expect(body).not.toHaveProperty('tools')
    expect(body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Hi' },
          { type: 'text', text: 'Result of the tool call:' },
          { type: 'text', text: '4' },
        ],
      },
    ])
    expect(lost).toEqual([
      'messages.tool_calls dropped',
      'messages.tool_call_id approximated',
      'messages approximated',
      'tools dropped',
    ])
  })
})

describe('fields that a server refuses', () => {
  it('are left out and declared, except for default values', () => {
    const { body, lost } = write(
      { presencePenalty: 1, stopSequences: ['.'], choices: 1, logprobs: false, endUser: 'u', temperature: 1 },
      { refusedFields: ['presence_penalty', 'stop', 'n', 'logprobs', 'user'] },
    )
    expect(body).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], temperature: 1 })
    expect(lost).toEqual(['presence_penalty dropped', 'stop dropped', 'user dropped'])
  })

  it.each([
    [undefined, false, 0.2],
    [undefined, true, undefined],
    ['none', true, 0.2],
    ['low', false, undefined],
  ] as const)(
    'may be refused only while the model reasons: effort %s, by default %s',
    (effort, unasked, sent) => {
      const { body, lost } = write(
        { temperature: 0.2, ...(effort !== undefined && { reasoning: { effort } }) },
        { reasoning: 'effort', refusedWhileReasoning: ['temperature'], reasonsByDefault: unasked },
      )
      expect(body['temperature']).toBe(sent)
      expect(lost).toEqual(sent === undefined ? ['temperature dropped'] : [])
    },
  )

  it('lose nothing when they match the server’s behaviour', () => {
    const { body, lost } = write(
      { temperature: 1, topP: 1, presencePenalty: 0, frequencyPenalty: 0 },
      { refusedFields: ['temperature', 'top_p', 'presence_penalty', 'frequency_penalty'] },
    )
    expect(body).toEqual({ model: 'm', messages: [{ role: 'user', content: 'Hi' }] })
    expect(lost).toEqual([])
  })

  it('include stop sequences beyond the server’s limit', () => {
    const { body, lost } = write({ stopSequences: ['a', 'b', 'c'] }, { maxStopSequences: 2 })
    expect(body['stop']).toEqual(['a', 'b'])
    expect(lost).toEqual(['stop approximated'])
  })

  it('may be the names of participants', () => {
    const turns: ChatRequest['turns'] = [
      { role: 'user', name: 'Ada', content: [{ type: 'text', text: 'Hi' }] },
    ]
    const { body, lost } = write({ turns }, { participantNames: false })
    expect(body['messages']).toEqual([{ role: 'user', content: 'Hi' }])
    expect(lost).toEqual(['messages.name dropped'])
  })
})

describe('other names and fixed fields', () => {
  it('are written as the dialect says', () => {
    const { body, lost } = write(
      { seed: 7, topK: 3, maxOutputTokens: 9 },
      {
        seedField: 'random_seed',
        acceptsTopK: true,
        maxTokensField: 'max_completion_tokens',
        fixedFields: { reasoning_split: true },
      },
    )
    expect(body).toMatchObject({ random_seed: 7, top_k: 3, max_completion_tokens: 9, reasoning_split: true })
    expect(body).not.toHaveProperty('seed')
    expect(lost).toEqual([])
  })

  it('turn a schema into any JSON, or into nothing', () => {
    const request = { outputFormat: { type: 'json' } } as const
    const asSchema = write(request, { jsonObject: false })
    expect(asSchema.body['response_format']).toEqual({
      type: 'json_schema',
      json_schema: { name: 'response', schema: { type: 'object' } },
    })
    expect(asSchema.lost).toEqual(['response_format approximated'])
    const unsaid = write(request, { jsonObject: false, jsonSchema: false })
    expect(unsaid.body).not.toHaveProperty('response_format')
    expect(unsaid.lost).toEqual(['response_format dropped'])
  })

  it('lower an output cap that the model would refuse', () => {
    const { body, lost } = write({ maxOutputTokens: 32_000 }, { maxOutputTokens: 16_384 })
    expect(body).toMatchObject({ max_tokens: 16_384 })
    expect(lost).toEqual(['max_completion_tokens approximated'])
    expect(write({ maxOutputTokens: 16_384 }, { maxOutputTokens: 16_384 }).lost).toEqual([])
  })

  it('send a schema as the input of a tool when a call can be forced', () => {
    const outputFormat = {
      type: 'json-schema',
      schema: { type: 'object', properties: {} },
      description: 'A person.',
    } as const
    const { body, lost } = write({ outputFormat }, { jsonSchema: false })
    expect(body).toMatchObject({
      tools: [
        {
          type: 'function',
          function: {
            name: 'give_answer',
            description: 'A person.',
            parameters: { type: 'object', properties: {} },
          },
        },
      ],
      tool_choice: { type: 'function', function: { name: 'give_answer' } },
    })
    expect(body).not.toHaveProperty('response_format')
    expect(lost).toEqual(['response_format approximated'])
    const thinking = { jsonSchema: false, toolChoices: 'unforced-thinking', reasoning: 'thinking' } as const
    expect(write({ outputFormat }, thinking).body).not.toHaveProperty('tools')
    expect(write({ outputFormat, reasoning: { mode: 'off' } }, thinking).body).toHaveProperty('tools')
  })

  it('describe a schema in the prompt when the server accepts none', () => {
    const outputFormat = { type: 'json-schema', schema: { type: 'object' } } as const
    const words = expect.stringMatching(/JSON schema:\n\{"type":"object"\}$/)
    const alone = write({ outputFormat }, { jsonSchema: false, toolChoices: 'auto' })
    expect(alone.body).toMatchObject({
      messages: [{ role: 'system', content: words }, { role: 'user' }],
      response_format: { type: 'json_object' },
    })
    expect(alone.lost).toEqual(['response_format approximated'])
    const system = {
      role: 'system',
      authority: 'system',
      content: [{ type: 'text', text: 'Brief.' }],
    } as const
    const joined = write(
      { outputFormat, turns: [system, ...plain.turns] },
      { jsonSchema: false, jsonObject: false, tools: false },
    )
    expect(joined.body['messages']).toEqual([
      { role: 'system', content: expect.stringMatching(/^Brief\.\n\nAnswer .*\}$/s) },
      { role: 'user', content: 'Hi' },
    ])
    expect(joined.body).not.toHaveProperty('response_format')
  })
})
