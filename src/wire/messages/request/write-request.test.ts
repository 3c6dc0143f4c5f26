import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../canonical/request.ts'
import { defaultDialect } from '../../dialect.ts'
import { writeRequest } from './write-request.ts'

const hello = { role: 'user', content: [{ type: 'text', text: 'Hi' }] } as const
const base: ChatRequest = { model: 'public', turns: [hello], stream: false }
const plainTool = { type: 'function', name: 'f', parameters: { type: 'object' } } as const

function write(more: Partial<ChatRequest>) {
  return writeRequest({ ...base, ...more }, { model: 'm1', dialect: defaultDialect })
}

/** The features lost beside the cap, which the base leaves out. */
function lost(more: Partial<ChatRequest>): readonly string[] {
  return write(more).losses.flatMap(({ feature, kind, field }) =>
    feature === 'max-output-tokens'
      ? []
      : [[feature, kind, ...(field === undefined ? [] : [field])].join(' ')],
  )
}

describe('writeRequest', () => {
  it('sends the upstream’s model name and the default cap, which it declares', () => {
    expect(write({})).toEqual({
      value: { model: 'm1', max_tokens: 8192, messages: [{ role: 'user', content: 'Hi' }] },
      losses: [{ feature: 'max-output-tokens', kind: 'defaulted' }],
    })
  })

  it('raises a default cap above the thinking budget', () => {
    const { value } = write({ reasoning: { mode: 'on', budgetTokens: 9000 } })
    expect(value).toMatchObject({
      max_tokens: 17192,
      thinking: { type: 'enabled', budget_tokens: 9000 },
    })
  })

  it('puts system turns at the head into `system` and later ones among the messages', () => {
    const system = (text: string) =>
      ({ role: 'system', authority: 'system', content: [{ type: 'text', text }] }) as const
    expect(write({ turns: [system('a'), hello, system('b')] }).value).toMatchObject({
      system: 'a',
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'system', content: 'b' },
      ],
    })
    expect(write({ turns: [system('a'), system('b'), hello] }).value).toMatchObject({
      system: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    })
    expect(lost({ turns: [system('a'), system('b'), hello] })).toEqual(['system-position approximated'])
    // The provider wants a message.
    expect(write({ turns: [system('a')] }).value['messages']).toEqual([{ role: 'user', content: 'a' }])
    expect(lost({ turns: [system('a')] })).toEqual(['system-position approximated'])
  })

  it('joins tool results with the next user message, results first', () => {
    const turns = [
      hello,
      {
        role: 'assistant',
        content: [{ type: 'tool-call', id: 'c1', name: 'f', kind: 'function', input: '{"a": 1}' }],
      },
      {
        role: 'tool',
        results: [
          { type: 'tool-result', callId: 'c1', content: [{ type: 'text', text: 'r' }], isError: true },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'And?' }] },
    ] as const
    const { value, losses } = write({ turns, maxOutputTokens: 5 })
    expect(value['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'c1', name: 'f', input: { a: 1 } }] },
      {
        role: 'user',
        content: [
          { type: 'tool_result', tool_use_id: 'c1', content: 'r', is_error: true },
          { type: 'text', text: 'And?' },
        ],
      },
    ])
    expect(losses).toEqual([])
  })

  it('writes an object as the input of every call, whatever the model wrote', () => {
    const inputs: readonly (readonly [string, 'function' | 'custom', unknown, readonly string[]])[] = [
      ['', 'function', {}, []],
      ['{"big": 12345678901234567890}', 'function', { big: expect.anything() }, []],
      ['{"a": ', 'function', { input: '{"a": ' }, ['tool-input approximated']],
      ['[1]', 'function', { input: '[1]' }, ['tool-input approximated']],
      ['SELECT 1', 'custom', { input: 'SELECT 1' }, ['custom-tool approximated']],
    ]
    for (const [input, kind, expected, losses] of inputs) {
      const content = [{ type: 'tool-call', id: 'c', name: 'f', kind, input }] as const
      const result = { type: 'tool-result', callId: 'c', content: [], isError: false } as const
      const turns = [hello, { role: 'assistant', content }, { role: 'tool', results: [result] }] as const
      expect(write({ turns }).value).toMatchObject({ messages: [{}, { content: [{ input: expected }] }, {}] })
      expect(lost({ turns })).toEqual(losses)
    }
  })

  it('corrects the media type of a file by its bytes when the declared type is unknown', () => {
    const data = Buffer.from('89504e470d0a1a0a0000', 'hex').toString('base64')
    const typesOf = (...sources: readonly (readonly [string, string])[]) => {
      const content = sources.map(([mediaType, bytes]) => ({
        type: 'image' as const,
        source: { type: 'base64' as const, mediaType, data: bytes },
      }))
      const { messages } = JSON.parse(JSON.stringify(write({ turns: [{ role: 'user', content }] }).value))
      return messages[0].content.map((block: { source: object }) => block.source)
    }
    expect(
      typesOf(['image/x-png', data], ['', data], ['image/jpg', 'AAAA'], ['image/gif', 'AAAA']),
    ).toMatchObject([
      { media_type: 'image/png' },
      { media_type: 'image/png' },
      { media_type: 'image/jpeg' },
      { media_type: 'image/gif' },
    ])
  })

  it('leaves out content that the provider refuses: blank texts, unsigned thinking, empty messages', () => {
    const turns = [
      hello,
      { role: 'assistant', content: [{ type: 'thinking', text: 'hm' }] },
      { role: 'assistant', content: [{ type: 'text', text: '' }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: ' \n' },
          { type: 'text', text: 'Go' },
        ],
      },
    ] as const
    expect(write({ turns }).value['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'Go' },
    ])
    expect(lost({ turns })).toEqual(['thinking dropped', 'foreign-field dropped messages.content'])
  })

  it('writes files in the form that the provider accepts', () => {
    const base64 = (mediaType: string) => ({ type: 'base64', mediaType, data: 'aGk=' }) as const
    const content = [
      { type: 'image', source: base64('image/png'), detail: 'high' },
      { type: 'document', source: base64('application/pdf'), title: 'a.pdf' },
      { type: 'document', source: base64('text/csv') },
      { type: 'audio', data: 'x', encoding: 'wav' },
      { type: 'video', source: { type: 'url', url: 'u' } },
    ] as const
    const turns = [{ role: 'user', content }] as const
    expect(write({ turns }).value['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'aGk=' } },
          {
            type: 'document',
            source: { type: 'base64', media_type: 'application/pdf', data: 'aGk=' },
            title: 'a.pdf',
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'hi' } },
        ],
      },
    ])
    expect(lost({ turns })).toEqual([
      'image-detail dropped',
      'document approximated',
      'audio dropped',
      'video dropped',
    ])
  })

  it('writes as many cache marks as the provider accepts, those of the longest prefixes', () => {
    const marked = (text: string) => ({ type: 'text', text, cache: {} }) as const
    const turns = [
      { role: 'system', authority: 'system', content: [marked('s')] },
      { role: 'user', content: [marked('a'), marked('b'), marked('c')] },
    ] as const
    const tools = [{ ...plainTool, parameters: { type: 'object', cache_control: 1 }, cache: {} }]
    const mark = { cache_control: { type: 'ephemeral' } }
    expect(write({ turns, tools }).value).toMatchObject({
      tools: [{ name: 'f', input_schema: { type: 'object', cache_control: 1 } }],
      system: [mark],
      messages: [{ content: [mark, mark, mark] }],
    })
    expect(write({ turns, tools }).value['tools']).not.toMatchObject([mark])
    expect(lost({ turns, tools })).toEqual(['cache-mark dropped'])
    expect(write({ turns, cache: {} }).value).toMatchObject({
      ...mark,
      system: [{ type: 'text', text: 's' }],
    })
    expect(lost({ turns })).toEqual([])
  })

  it('writes the provider’s media type for JPEG images', () => {
    const source = { type: 'base64', mediaType: 'image/jpg', data: 'AA==' } as const
    const turns = [{ role: 'user', content: [{ type: 'image', source }] }] as const
    expect(write({ turns }).value['messages']).toMatchObject([
      { content: [{ source: { media_type: 'image/jpeg' } }] },
    ])
  })

  it('requests thinking and effort in its own fields', () => {
    const cases: readonly (readonly [ChatRequest['reasoning'], object, readonly string[]])[] = [
      [{ effort: 'high' }, { output_config: { effort: 'high' } }, []],
      [{ effort: 'minimal' }, { output_config: { effort: 'low' } }, ['reasoning-effort approximated']],
      [{ effort: 'none' }, { thinking: { type: 'disabled' } }, ['reasoning-effort approximated']],
      [{ mode: 'off' }, { thinking: { type: 'disabled' } }, []],
      [{ mode: 'on' }, { thinking: { type: 'adaptive' } }, ['thinking-mode approximated']],
      [{ mode: 'between-tools' }, { thinking: { type: 'between_tools' } }, []],
    ]
    for (const [reasoning, expected, losses] of cases) {
      expect(write({ ...(reasoning && { reasoning }) }).value).toMatchObject(expected)
      expect(lost({ ...(reasoning && { reasoning }) })).toEqual(losses)
    }
  })

  it('names the allowed tools, and parallel calls, inside the choice', () => {
    const tools = [plainTool]
    expect(write({ tools, parallelToolCalls: false }).value).toMatchObject({
      tool_choice: { type: 'auto', disable_parallel_tool_use: true },
    })
    expect(lost({ tools, parallelToolCalls: false })).toEqual(['tool-choice defaulted'])
    expect(write({ tools, toolChoice: { type: 'required' } }).value).toMatchObject({
      tool_choice: { type: 'any' },
    })
    // The provider refuses a choice among no tools.
    expect(write({ toolChoice: { type: 'required' } }).value).not.toHaveProperty('tool_choice')
    expect(lost({ toolChoice: { type: 'required' } })).toEqual(['tool-choice dropped'])
  })

  it('writes a schema when a tool has none, and a text property for a custom tool', () => {
    const tools = [
      { type: 'function', name: 'f' },
      { type: 'custom', name: 'sql', description: 'd' },
      { type: 'hosted', format: 'chat', value: { type: 'web_search' } },
    ] as const
    expect(write({ tools }).value['tools']).toEqual([
      { name: 'f', input_schema: { type: 'object', properties: {} } },
      {
        name: 'sql',
        description: 'd',
        input_schema: { type: 'object', properties: { input: { type: 'string' } }, required: ['input'] },
      },
    ])
    expect(lost({ tools })).toEqual([
      'foreign-field defaulted tools.input_schema',
      'custom-tool approximated',
      'foreign-tool dropped web_search',
    ])
  })

  it('declares each field without an equivalent once', () => {
    expect(
      lost({
        seed: 1,
        presencePenalty: 0.5,
        frequencyPenalty: 0,
        choices: 2,
        logprobs: true,
        logitBias: { '1': 2 },
        verbosity: 'low',
        temperature: 1.5,
        serviceTier: 'flex',
        stopSequences: ['\n', 'END'],
        outputFormat: { type: 'json' },
        extras: { format: 'chat', fields: { store: true } },
      }).toSorted(),
    ).toEqual(
      [
        'presence-penalty dropped',
        'seed dropped',
        'choices dropped',
        'logprobs dropped',
        'logit-bias dropped',
        'verbosity dropped',
        'stop-sequences dropped',
        'service-tier dropped',
        'sampling approximated',
        'foreign-field dropped store',
        'json-output approximated',
      ].sort(),
    )
  })

  it('requests JSON by a schema', () => {
    const outputFormat = { type: 'json-schema', schema: { type: 'object' }, name: 'n', strict: true } as const
    expect(write({ outputFormat }).value).toMatchObject({
      output_config: { format: { type: 'json_schema', schema: { type: 'object' } } },
    })
    // The name is for logs alone, and held to a schema is what `strict` says.
    expect(lost({ outputFormat })).toEqual([])
    const described = { ...outputFormat, description: 'A person.' }
    expect(write({ outputFormat: described }).value).toMatchObject({
      output_config: { format: { schema: { type: 'object', description: 'A person.' } } },
    })
    expect(lost({ outputFormat: described })).toEqual(['json-output approximated description'])
  })

  it('requests JSON without a schema in the system prompt, since the format has no field for it', () => {
    const system = {
      role: 'system',
      authority: 'system',
      content: [{ type: 'text', text: 'Be brief.' }],
    } as const
    const asked = { type: 'text', text: expect.stringMatching(/^Answer with one JSON object/) }
    expect(write({ outputFormat: { type: 'json' } }).value['system']).toEqual(asked.text)
    expect(write({ turns: [system, hello], outputFormat: { type: 'json' } }).value['system']).toEqual([
      { type: 'text', text: 'Be brief.' },
      asked,
    ])
  })
})
