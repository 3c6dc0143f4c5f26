import { describe, expect, it } from 'vitest'
import type { ChatRequest } from '../../../canonical/request.ts'
import { bedrockDialect } from '../../../providers/models/bedrock-dialect.ts'
import { defaultDialect } from '../../dialect.ts'
import { writeRequest } from './write-request.ts'

const haiku = 'eu.anthropic.claude-haiku-4-5-20251001-v1:0'
const sonnet = 'anthropic.claude-3-7-sonnet-20250219-v1:0'
const nova = 'us.amazon.nova-2-lite-v1:0'

function write(request: Partial<ChatRequest>, model = haiku) {
  const turns = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const
  const asked: ChatRequest = { model: 'm', stream: false, turns, ...request }
  const { value, losses, callerTools } = writeRequest(asked, {
    model,
    dialect: { ...defaultDialect, ...bedrockDialect(model) },
  })
  return { value, losses: losses.map(({ feature, kind }) => `${feature} ${kind}`), callerTools }
}

const text = (said: string) => ({ type: 'text', text: said }) as const
const user = (said: string) => ({ role: 'user', content: [text(said)] }) as const
const call = { type: 'tool-call', id: 'call_1', name: 'look', kind: 'function', input: '{"q":1}' } as const
const tool = { type: 'function', name: 'look', parameters: { type: 'object', properties: {} } } as const
const schema = { type: 'object', properties: { a: { type: 'number' } }, required: ['a'] } as const

describe('a request of Converse', () => {
  it('has the system prompt apart, results with the content that follows them, and calls with objects', () => {
    const { value, losses } = write({
      turns: [
        { role: 'system', authority: 'system', content: [text('Be brief.')] },
        user('Look.'),
        { role: 'assistant', content: [text('I look.'), call] },
        {
          role: 'tool',
          results: [{ type: 'tool-result', callId: 'call_1', content: [text('')], isError: false }],
        },
        user('And?'),
      ],
      tools: [tool],
      maxOutputTokens: 50,
      temperature: 0.5,
    })
    expect(value).toEqual({
      system: [{ text: 'Be brief.' }],
      messages: [
        { role: 'user', content: [{ text: 'Look.' }] },
        {
          role: 'assistant',
          content: [{ text: 'I look.' }, { toolUse: { toolUseId: 'call_1', name: 'look', input: { q: 1 } } }],
        },
        {
          role: 'user',
          content: [{ toolResult: { toolUseId: 'call_1', content: [{ text: '' }] } }, { text: 'And?' }],
        },
      ],
      inferenceConfig: { maxTokens: 50, temperature: 0.5 },
      toolConfig: {
        tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object', properties: {} } } } }],
      },
    })
    expect(losses).toEqual([])
  })

  it('describes called tools even if it offers none, since the service refuses calls without them', () => {
    const { value } = write({
      turns: [
        user('Look.'),
        { role: 'assistant', content: [call] },
        { role: 'tool', results: [{ type: 'tool-result', callId: 'call_1', content: [], isError: false }] },
      ],
    })
    expect(value['toolConfig']).toEqual({
      tools: [{ toolSpec: { name: 'look', inputSchema: { json: { type: 'object' } } } }],
    })
  })

  it('alternates roles, even when one role has two turns in a row', () => {
    const { value, losses } = write({ turns: [user('a'), user('b')] })
    expect(value['messages']).toEqual([{ role: 'user', content: [{ text: 'a' }, { text: 'b' }] }])
    expect(losses).toEqual(['turn-order approximated'])
  })

  it('has bytes of images, files and videos, and adds text beside a file', () => {
    const source = (mediaType: string) => ({ type: 'base64', mediaType, data: 'AAAA' }) as const
    const { value } = write({
      turns: [
        {
          role: 'user',
          content: [
            { type: 'image', source: source('image/jpg') },
            { type: 'video', source: source('video/mp4') },
            { type: 'document', source: source('application/pdf'), title: 'a_b.pdf' },
            { type: 'document', source: { type: 'text', text: 'x' } },
            { type: 'document', source: { type: 'url', url: 's3://bucket/c.csv' }, title: 'Document' },
          ],
        },
      ],
    })
    expect(value['messages']).toEqual([
      {
        role: 'user',
        content: [
          { image: { format: 'jpeg', source: { bytes: 'AAAA' } } },
          { video: { format: 'mp4', source: { bytes: 'AAAA' } } },
          { document: { format: 'pdf', source: { bytes: 'AAAA' }, name: 'a-b-pdf' } },
          { document: { format: 'txt', source: { bytes: 'eA==' }, name: 'Document' } },
          {
            document: {
              format: 'csv',
              source: { s3Location: { uri: 's3://bucket/c.csv' } },
              name: 'Document 2',
            },
          },
          { text: 'This is the document.' },
        ],
      },
    ])
  })

  it('has cache points, never directly after a file, and four at most', () => {
    const marked = (said: string) => ({ ...text(said), cache: { lifetime: '1h' as const } })
    const file = {
      type: 'document',
      source: { type: 'text', text: 'x' },
      title: 'a',
      cache: {},
    } as const
    const { value, losses } = write({
      turns: [
        { role: 'system', authority: 'system', content: [marked('s')] },
        { role: 'user', content: [marked('a'), file, marked('b'), marked('c')] },
      ],
    })
    const point = { cachePoint: { type: 'default', ttl: '1h' } }
    expect(value['system']).toEqual([{ text: 's' }])
    expect(value['messages']).toMatchObject([
      {
        content: [
          { text: 'a' },
          point,
          { cachePoint: { type: 'default' } },
          { document: { name: 'a' } },
          { text: 'b' },
          point,
          { text: 'c' },
          point,
        ],
      },
    ])
    expect(losses).toEqual(['cache-mark approximated', 'cache-mark dropped'])
  })

  it.each([
    ['us.meta.llama3-1-70b-instruct-v1:0', ['user', 'assistant', 'user']],
    ['us.anthropic.claude-opus-4-7-v1:0', ['user', 'assistant', 'user']],
    [haiku, ['user', 'assistant']],
    [nova, ['user', 'assistant']],
  ])('ends with the user where %s does not continue an answer', (model, roles) => {
    const turns: ChatRequest['turns'] = [user('a'), { role: 'assistant', content: [text('Once')] }]
    const { value, losses } = write({ turns }, model)
    const messages: { role: string }[] = JSON.parse(JSON.stringify(value['messages']))
    expect(messages.map(({ role }) => role)).toEqual(roles)
    expect(losses).toEqual(roles.length === 3 ? ['turn-order approximated'] : [])
  })

  it('has cache points only after text for Nova, which refuses them after tools and their results', () => {
    const cache = { lifetime: '1h' } as const
    const result = {
      type: 'tool-result',
      callId: 'call_1',
      content: [text('r')],
      isError: false,
      cache,
    } as const
    const turns: ChatRequest['turns'] = [
      { role: 'system', authority: 'system', content: [{ ...text('s'), cache }] },
      user('a'),
      { role: 'assistant', content: [call] },
      { role: 'tool', results: [result] },
    ]
    const { value, losses } = write({ turns, tools: [{ ...tool, cache }] }, nova)
    expect(value['system']).toEqual([{ text: 's' }, { cachePoint: { type: 'default' } }])
    expect(JSON.stringify([value['messages'], value['toolConfig']])).not.toContain('cachePoint')
    expect(losses).toEqual(['cache-mark dropped', 'cache-mark approximated'])
  })

  it('returns signed thinking to Claude, and to no other model', () => {
    const thought = { type: 'thinking', text: 'Hm.', signature: 'sig' } as const
    const redacted = { type: 'redacted-thinking', data: 'AAAA' } as const
    const turns = [
      user('a'),
      { role: 'assistant', content: [thought, redacted, text('b')] } as const,
      user('c'),
    ]
    expect(write({ turns }).value['messages']).toMatchObject([
      {},
      {
        content: [
          { reasoningContent: { reasoningText: { text: 'Hm.', signature: 'sig' } } },
          { reasoningContent: { redactedContent: 'AAAA' } },
          { text: 'b' },
        ],
      },
      {},
    ])
    const other = write({ turns }, nova)
    expect(other.value['messages']).toMatchObject([{}, { content: [{ text: 'b' }] }, {}])
    expect(other.losses).toEqual(['thinking dropped', 'redacted-thinking dropped'])
  })

  it('requests reasoning with the fields of each family', () => {
    const reasoning = { effort: 'high' } as const
    const fields = (model: string, more: Partial<ChatRequest> = {}) =>
      write({ reasoning, ...more }, model).value['additionalModelRequestFields']
    expect(fields(sonnet)).toEqual({ thinking: { type: 'enabled', budget_tokens: 24_000 } })
    expect(fields('openai.gpt-oss-20b-1:0')).toEqual({ reasoning_effort: 'high' })
    expect(fields(nova)).toEqual({ reasoningConfig: { type: 'enabled', maxReasoningEffort: 'high' } })
    expect(fields(nova, { maxOutputTokens: 50 })).toEqual({
      reasoningConfig: { type: 'enabled', maxReasoningEffort: 'medium' },
    })
    expect(fields('meta.llama3-70b-instruct-v1:0')).toBeUndefined()
    expect(write({ reasoning }, 'meta.llama3-70b-instruct-v1:0').losses).toEqual(['reasoning-effort dropped'])
  })

  it('lowers a thinking budget below the cap, and sends no cap when the caller sends none', () => {
    const { value } = write({ reasoning: { budgetTokens: 9000, mode: 'on' }, maxOutputTokens: 2000 }, sonnet)
    expect(value['inferenceConfig']).toEqual({ maxTokens: 2000 })
    expect(value['additionalModelRequestFields']).toEqual({
      thinking: { type: 'enabled', budget_tokens: 1600 },
    })
    expect(write({}).value['inferenceConfig']).toBeUndefined()
  })

  it('enforces a schema by the service if possible, otherwise by a tool, otherwise in the prompt', () => {
    const outputFormat = { type: 'json-schema', schema, name: 'n', description: 'd' } as const
    expect(write({ outputFormat }).value['outputConfig']).toEqual({
      textFormat: {
        type: 'json_schema',
        structure: {
          jsonSchema: {
            schema: JSON.stringify({ ...schema, additionalProperties: false }),
            name: 'n',
            description: 'd',
          },
        },
      },
    })
    const forced = write({ outputFormat }, nova)
    expect(forced.value['toolConfig']).toMatchObject({ toolChoice: { tool: { name: 'give_answer' } } })
    expect(forced.callerTools?.get('give_answer')?.kind).toBe('answer')
    const told = write({ outputFormat }, 'meta.llama3-70b-instruct-v1:0')
    expect(JSON.stringify(told.value['system'])).toContain('JSON Schema')
    expect(told.losses).toEqual(['json-output approximated'])
  })

  it.each([
    [{ type: 'auto' }, { auto: {} }],
    [{ type: 'required' }, { any: {} }],
    [{ type: 'tool', name: 'look', kind: 'function' }, { tool: { name: 'look' } }],
  ] as const)('writes the choice %o', (toolChoice, expected) => {
    expect(write({ tools: [tool], toolChoice }).value['toolConfig']).toMatchObject({ toolChoice: expected })
  })

  it('offers no tool when calls are forbidden, and forces none on models without that option', () => {
    const none = write({ tools: [tool], toolChoice: { type: 'none' } })
    expect([none.value['toolConfig'], none.losses]).toEqual([undefined, ['tool-choice approximated']])
    const llama = write({ tools: [tool], toolChoice: { type: 'required' } }, 'meta.llama3-70b-instruct-v1:0')
    expect(llama.value['toolConfig']).toMatchObject({ toolChoice: { auto: {} } })
    expect(llama.losses).toEqual(['tool-choice approximated'])
    const mistral = write(
      { tools: [tool], toolChoice: { type: 'tool', name: 'look', kind: 'function' } },
      'mistral.mistral-large-2407-v1:0',
    )
    expect(mistral.value['toolConfig']).toMatchObject({ toolChoice: { any: {} } })
  })

  it('has top_k in the field of the family', () => {
    expect(write({ topK: 5 }, sonnet).value['additionalModelRequestFields']).toEqual({ top_k: 5 })
    expect(write({ topK: 5 }, nova).value['additionalModelRequestFields']).toEqual({
      inferenceConfig: { topK: 5 },
    })
    expect(write({ topK: 5 }, 'cohere.command-r-v1:0').losses).toEqual(['top-k dropped'])
  })

  it('requests the stop sequence from Claude, and names the tier', () => {
    const { value } = write({ stopSequences: ['a', ' '], serviceTier: 'flex' })
    expect(value['inferenceConfig']).toEqual({ stopSequences: ['a'] })
    expect(value['additionalModelResponseFieldPaths']).toEqual(['/stop_sequence'])
    expect(value['serviceTier']).toEqual({ type: 'flex' })
  })

  it('carries its own fields, blocks and tools unchanged, and names those of other formats', () => {
    const guard = { guardContent: { text: { text: 'x' } } }
    const { value, losses } = write({
      turns: [{ role: 'user', content: [{ type: 'opaque', format: 'converse', value: guard }] }],
      tools: [{ type: 'hosted', format: 'converse', value: { systemTool: { name: 'nova_grounding' } } }],
      extras: { format: 'converse', fields: { requestMetadata: { a: 'b' } } },
    })
    expect(value).toEqual({
      messages: [{ role: 'user', content: [guard] }],
      toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] },
      requestMetadata: { a: 'b' },
    })
    expect(losses).toEqual([])
    const foreign = write({ extras: { format: 'chat', fields: { store: true } } })
    expect(foreign.losses).toEqual(['foreign-field dropped'])
  })
})
