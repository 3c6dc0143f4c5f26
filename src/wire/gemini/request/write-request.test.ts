import { describe, expect, it, test } from 'vitest'
import type { AssistantBlock, ToolResultContent } from '../../../canonical/content.ts'
import type { Reasoning, Turn } from '../../../canonical/request.ts'
import { geminiDialect } from '../../../providers/models/gemini-dialect.ts'
import { providers } from '../../../providers/registry.ts'
import { type Dialect, defaultDialect } from '../../dialect.ts'
import { readRequest } from './read-request.ts'
import { writeRequest } from './write-request.ts'
import { FOREIGN_SIGNATURE } from './write-thinking.ts'

const user = (text: string): Turn => ({ role: 'user', content: [{ type: 'text', text }] })

const system = (text: string): Turn => ({
  role: 'system',
  authority: 'system',
  content: [{ type: 'text', text }],
})

const assistant = (...content: readonly AssistantBlock[]): Turn => ({ role: 'assistant', content })

const call = (id: string): AssistantBlock => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  input: '{"a":1}',
})

const result = (callId: string, ...content: readonly ToolResultContent[]): Turn => ({
  role: 'tool',
  results: [{ type: 'tool-result', callId, content, isError: false }],
})

const text = (words: string) => ({ type: 'text' as const, text: words })

const picture = {
  type: 'image' as const,
  source: { type: 'base64' as const, mediaType: 'image/png', data: 'AA==' },
}

function dialectOf(model: string): Dialect {
  return { ...defaultDialect, ...geminiDialect(model) }
}

function write(turns: readonly Turn[], model = 'gemini-2.5-flash') {
  const { value, losses } = writeRequest(
    { model, turns, stream: false },
    { model, dialect: dialectOf(model) },
  )
  return { value, losses: losses.map(({ feature, kind }) => `${feature}=${kind}`) }
}

test('a choice of a tool that another provider runs allows no function in its place', () => {
  const web = { type: 'hosted', format: 'responses', value: { type: 'web_search' } } as const
  const tools = [{ type: 'function', name: 'ask' } as const, web]
  const toolChoice = { type: 'allowed', mode: 'required', tools: [{ type: 'web_search' }] } as const
  const model = 'gemini-2.5-flash'
  const { value, losses } = writeRequest(
    { model, turns: [user('Hi')], stream: false, tools, toolChoice },
    { model, dialect: dialectOf(model) },
  )
  expect(value['toolConfig']).toEqual({ functionCallingConfig: { mode: 'NONE' } })
  expect(losses).toContainEqual({ feature: 'tool-choice', kind: 'dropped' })
})

test('a JPEG image has the type that the service accepts', () => {
  const source = { type: 'base64' as const, mediaType: 'image/jpg', data: 'AA==' }
  const { value, losses } = write([{ role: 'user', content: [{ type: 'image', source }] }])
  expect(value['contents']).toEqual([
    { role: 'user', parts: [{ inlineData: { mimeType: 'image/jpeg', data: 'AA==' } }] },
  ])
  expect(losses).toEqual([])
})

describe('a conversation for Gemini', () => {
  it('has the first system messages apart, and later ones in their position', () => {
    const { value, losses } = write([system('Be brief.'), user('Hi'), system('Be long.')])
    expect(value).toEqual({
      systemInstruction: { parts: [{ text: 'Be brief.' }] },
      contents: [{ role: 'user', parts: [{ text: 'Hi' }, { text: 'Be long.' }] }],
    })
    expect(losses).toEqual(['system-position=approximated', 'turn-order=approximated'])
  })

  it('begins and ends with the user', () => {
    const { value } = write([assistant(text('Hello')), user('Hi'), assistant(text('And'))])
    expect(value['contents']).toMatchObject([
      { role: 'user' },
      { role: 'model' },
      { role: 'user' },
      { role: 'model' },
      { role: 'user' },
    ])
  })

  it('names results by the names of their calls, and separates the text that follows', () => {
    const turns = [user('Go'), assistant(call('c1'), call('c2')), result('c2', text('two')), user('Well?')]
    const { value, losses } = write(turns)
    expect(value['contents']).toEqual([
      { role: 'user', parts: [{ text: 'Go' }] },
      {
        role: 'model',
        parts: [
          { functionCall: { id: 'c1', name: 'f', args: { a: 1 } } },
          { functionCall: { id: 'c2', name: 'f', args: { a: 1 } } },
        ],
      },
      {
        role: 'user',
        parts: [
          { functionResponse: { id: 'c2', name: 'f', response: { output: 'two' } } },
          { functionResponse: { id: 'c1', name: 'f', response: { error: 'The tool gave no result.' } } },
        ],
      },
      { role: 'user', parts: [{ text: 'Well?' }] },
    ])
    expect(losses).toEqual(['tool-result-content=defaulted'])
  })

  it('has only bytes within the result of a function, its texts in the output, and its addresses after it', () => {
    const url = 'https://example.com/a.png'
    const bytes = { type: 'base64' as const, mediaType: 'image/png', data: 'aaaa' }
    const given = result(
      'c1',
      text('Found.'),
      { type: 'image', source: bytes },
      { type: 'document', source: { type: 'text', text: 'words' }, title: 'a.txt' },
      { type: 'image', source: { type: 'url', url } },
    )
    const { value, losses } = write([user('Go'), assistant(call('c1')), given], 'gemini-3-pro')
    const functionResponse = {
      id: 'c1',
      name: 'f',
      response: { output: 'Found.\na.txt\n\nwords' },
      parts: [{ inlineData: { mimeType: 'image/png', data: 'aaaa' } }],
    }
    const fileData = { mimeType: 'image/png', fileUri: url }
    expect(value['contents']).toMatchObject([{}, {}, { parts: [{ functionResponse }, { fileData }] }])
    expect(losses).toContain('tool-result-content=approximated')
  })

  it.each([
    ['gemini-3-pro', 1],
    ['gemini-2.5-pro', 2],
  ])('has an image from a function in its result or after it: %s', (model, parts) => {
    const { value } = write([user('Go'), assistant(call('c')), result('c', text('see'), picture)], model)
    const list = value['contents']
    expect(Array.isArray(list) ? list[2]?.parts : undefined).toHaveLength(parts)
  })
})

describe('thought signatures', () => {
  const signed = (data: string, id?: string): AssistantBlock => ({
    type: 'redacted-thinking',
    data,
    extras: { format: 'gemini', fields: id === undefined ? {} : { id } },
  })
  const partsOf = (turns: readonly Turn[], model = 'gemini-3-pro') => {
    const list = write(turns, model).value['contents']
    return Array.isArray(list) ? list[1]?.parts : undefined
  }

  it('go to the part that follows them', () => {
    expect(partsOf([user('Go'), assistant(signed('AA=='), text('Hi')), user('Well?')])).toEqual([
      { text: 'Hi', thoughtSignature: 'AA==' },
    ])
  })

  it('go to the call that they name, wherever another format put them', () => {
    const turns = [user('Go'), assistant(signed('AA==', 'c2'), text('Hi'), call('c1'), call('c2'))]
    expect(partsOf(turns, 'gemini-2.5-pro')).toMatchObject([
      { text: 'Hi' },
      { functionCall: { id: 'c1' } },
      { functionCall: { id: 'c2' }, thoughtSignature: 'AA==' },
    ])
  })

  it('have a part of their own if nothing follows', () => {
    expect(partsOf([user('Go'), assistant(text('Hi'), signed('AA==')), user('Well?')])).toEqual([
      { text: 'Hi' },
      { text: '', thoughtSignature: 'AA==' },
    ])
  })

  it('that are missing have Google’s default, on the first call of each step since the user’s last message', () => {
    const step = [assistant(call('c1'), call('c2')), result('c1', text('1'))]
    const { value, losses } = write([user('Go'), ...step, user('Again'), ...step], 'gemini-3.8-flash')
    const marks = JSON.stringify(value).match(/"thoughtSignature":"[^"]*"/g)
    expect(marks).toEqual([`"thoughtSignature":"${FOREIGN_SIGNATURE}"`])
    expect(losses).toContain('thinking-signature=defaulted')
    expect(JSON.stringify(write([user('Go'), ...step], 'gemini-2.5-pro').value)).not.toContain('Signature')
  })

  it('of other providers are left out with their thoughts', () => {
    const thought: AssistantBlock = { type: 'thinking', text: 'Hm', signature: 'AA==' }
    const { value, losses } = write([user('Go'), assistant(thought, text('Hi')), user('Well?')])
    expect(JSON.stringify(value)).not.toContain('Hm')
    expect(losses).toContain('thinking=dropped')
  })
})

test.each<[string, Reasoning, object | undefined]>([
  ['gemini-2.0-flash', { effort: 'high' }, undefined],
  ['gemini-2.5-flash', { effort: 'high' }, { thinkingBudget: 24_576 }],
  ['gemini-2.5-flash', { mode: 'off' }, { thinkingBudget: 0 }],
  ['gemini-2.5-flash', { budgetTokens: 50_000 }, { thinkingBudget: 24_576 }],
  ['gemini-2.5-flash-lite', { budgetTokens: 100 }, { thinkingBudget: 512 }],
  ['gemini-2.5-pro', { mode: 'off' }, { thinkingBudget: 128 }],
  ['gemini-2.5-pro', { mode: 'adaptive' }, { thinkingBudget: -1, includeThoughts: true }],
  ['gemini-3-pro-preview', { effort: 'medium' }, { thinkingLevel: 'HIGH' }],
  ['gemini-3-flash', { effort: 'none' }, { thinkingLevel: 'MINIMAL' }],
  ['gemini-3.8-flash', { effort: 'none' }, { thinkingLevel: 'LOW' }],
  ['gemini-3.8-flash', { budgetTokens: 9000 }, { thinkingLevel: 'MEDIUM' }],
  ['gemini-3.8-flash', { budgetTokens: 20_000 }, { thinkingLevel: 'HIGH' }],
  ['gemini-3-pro', { budgetTokens: 2000 }, { thinkingLevel: 'LOW' }],
  [
    'gemini-3.1-pro',
    { effort: 'max', display: 'summarized' },
    { thinkingLevel: 'HIGH', includeThoughts: true },
  ],
  ['some-model', { effort: 'low' }, { thinkingLevel: 'LOW' }],
  ['some-model', { budgetTokens: 77 }, { thinkingBudget: 77 }],
])('%s with reasoning %j is sent as %j', (model, reasoning, thinkingConfig) => {
  const request = { model, turns: [user('Hi')], stream: false, reasoning }
  const { value } = writeRequest(request, { model, dialect: dialectOf(model) })
  expect(value['generationConfig']).toEqual(thinkingConfig === undefined ? undefined : { thinkingConfig })
})

describe('a schema in Gemini’s own form', () => {
  it('is read as a JSON Schema, with types as text or numbers', () => {
    const parameters = {
      type: 'OBJECT',
      properties: {
        city: { type: 'STRING', nullable: true, description: 'Where' },
        days: { type: 5, items: { type: 3 }, min_items: '1' },
        one: { any_of: [{ type: 'NUMBER' }, { type: 'BOOLEAN' }] },
      },
      propertyOrdering: ['city', 'days'],
      required: ['city'],
    }
    const body = { model: 'm', stream: false, contents: [{ parts: [{ text: 'Hi' }] }] }
    const read = readRequest({ ...body, tools: { function_declarations: [{ name: 'f', parameters }] } })
    expect(read.tools).toEqual([
      {
        type: 'function',
        name: 'f',
        parameters: {
          type: 'object',
          properties: {
            city: { type: ['string', 'null'], description: 'Where' },
            days: { type: 'array', items: { type: 'integer' }, minItems: 1 },
            one: { anyOf: [{ type: 'number' }, { type: 'boolean' }] },
          },
          required: ['city'],
        },
      },
    ])
  })
})

test('a nullable schema of Gemini allows null in unions and enumerations, too', () => {
  const parameters = {
    type: 'OBJECT',
    properties: {
      size: { type: 'STRING', enum: ['S', 'L'], nullable: true },
      id: { anyOf: [{ type: 'INTEGER' }, { type: 'STRING' }], nullable: true },
    },
  }
  const body = { model: 'm', stream: false, contents: [{ parts: [{ text: 'Hi' }] }] }
  const read = readRequest({ ...body, tools: { functionDeclarations: [{ name: 'f', parameters }] } })
  expect(read.tools).toMatchObject([
    {
      parameters: {
        properties: {
          size: { type: ['string', 'null'], enum: ['S', 'L', null] },
          id: { anyOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] },
        },
      },
    },
  ])
})

test('consecutive contents of the model are one turn', () => {
  const contents = [
    { role: 'user', parts: [{ text: 'Go' }] },
    ...[1, 2].map((a) => ({ role: 'model', parts: [{ functionCall: { name: 'f', args: { a } } }] })),
    { role: 'user', parts: [{ functionResponse: { name: 'f', response: { result: 'one' } } }] },
  ]
  const { turns } = readRequest({ model: 'm', contents })
  expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'tool'])
  expect(turns[1]).toMatchObject({ content: [{ id: 'call_1' }, { id: 'call_2' }] })
  expect(turns[2]).toMatchObject({ results: [{ callId: 'call_1', content: [{ text: 'one' }] }] })
})

test('results without ids answer the calls of their names, in their order', () => {
  const calls = [1, 2].map((a) => ({ functionCall: { name: 'f', args: { a } } }))
  const results = ['one', { b: 2 }].map((value) => ({
    functionResponse: { name: 'f', response: typeof value === 'string' ? { output: value } : value },
  }))
  const contents = [
    { role: 'user', parts: [{ text: 'Go' }] },
    { role: 'model', parts: calls },
    { role: 'function', parts: results },
  ]
  const { turns } = readRequest({ model: 'm', contents })
  expect(turns.at(-1)).toMatchObject({
    role: 'tool',
    results: [
      { callId: 'call_1', content: [{ text: 'one' }] },
      { callId: 'call_2', content: [{ text: '{"b":2}' }] },
    ],
  })
})

it('a name that begins with a digit is another one for the service, and the caller’s own in the answer', () => {
  const tools = ['21st_build', '_21st_build', '-x', 'ask'].map(
    (name) => ({ type: 'function', name }) as const,
  )
  const model = 'gemini-2.5-flash'
  const turns: readonly Turn[] = [
    user('Hi'),
    assistant({ type: 'tool-call', id: 'c', name: '21st_build', kind: 'function', input: '{}' }),
    result('c', text('x')),
  ]
  const { value, losses, callerTools } = writeRequest(
    {
      model,
      turns,
      stream: false,
      tools,
      toolChoice: { type: 'tool', name: '21st_build', kind: 'function' },
    },
    { model, dialect: dialectOf(model) },
  )
  const build = expect.stringMatching(/^_21st_build__[0-9a-f]{8}$/)
  const dash = expect.stringMatching(/^_-x__[0-9a-f]{8}$/)
  expect(value).toMatchObject({
    contents: [
      {},
      { parts: [{ functionCall: { name: build } }] },
      { parts: [{ functionResponse: { name: build } }] },
    ],
    tools: [
      { functionDeclarations: [{ name: build }, { name: '_21st_build' }, { name: dash }, { name: 'ask' }] },
    ],
    toolConfig: { functionCallingConfig: { allowedFunctionNames: [build] } },
  })
  expect(losses).toContainEqual({ feature: 'tool-name', kind: 'approximated' })
  expect([...(callerTools ?? [])].map(([, tool]) => tool.name)).toEqual(['21st_build', '-x'])
})

it.each([
  ['gemini-2.5-flash', 0.5, undefined],
  ['gemini-3-pro-preview', -1, undefined],
  ['gemini-2.5-flash', 0, 0],
  ['gemini-2.0-flash', 0.5, 0.5],
])('penalties go to %s as far as it takes them: %d', (model, penalty, written) => {
  const { value, losses } = writeRequest(
    { model, turns: [user('Hi')], stream: false, presencePenalty: penalty, frequencyPenalty: penalty },
    { model, dialect: dialectOf(model) },
  )
  const { presencePenalty, frequencyPenalty } = { ...Object(value['generationConfig']) }
  expect([presencePenalty, frequencyPenalty]).toEqual([written, written])
  const lost = written === undefined ? ['presence-penalty', 'frequency-penalty'] : []
  expect(losses.map(({ feature }) => feature)).toEqual(lost)
})

it.each([
  ['gemini', 'gemini-2.5-flash', undefined],
  ['gemini', 'gemini-2.0-flash', true],
  ['vertex', 'gemini-2.5-pro', true],
  ['vertex', 'gemini-3.5-flash', undefined],
] as const)('log probabilities are asked of %s for %s if it gives them: %s', (provider, model, asked) => {
  const { value, losses } = writeRequest(
    { model, turns: [user('Hi')], stream: false, logprobs: true, topLogprobs: 2 },
    { model, dialect: providers[provider].dialect(model, 'gemini') },
  )
  const config = { ...Object(value['generationConfig']) }
  expect([config.responseLogprobs, config.logprobs]).toEqual([asked, asked && 2])
  expect(losses).toEqual(asked ? [] : [{ feature: 'logprobs', kind: 'dropped' }])
})
