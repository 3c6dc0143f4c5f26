import { describe, expect, it } from 'vitest'
import { Refusal } from '../agent/conversation.ts'
import { Account } from './account.ts'
import { type ChatReasoning, checkChatRequest } from './check-chat-request.ts'
import { checkCohereRequest } from './check-cohere-request.ts'
import { checkConverseRequest } from './check-converse-request.ts'
import { checkGeminiRequest } from './check-gemini-request.ts'
import { checkMessagesRequest } from './check-messages-request.ts'
import { checkResponsesRequest } from './check-responses-request.ts'

const own = new Account('own')
const foreign = new Account('foreign')
const user = { role: 'user', content: 'Hi' }

/** Why it is refused; empty where it is taken. */
function refusalBy(check: () => unknown): string {
  try {
    check()
    return ''
  } catch (error) {
    if (error instanceof Refusal) return error.message
    throw error
  }
}

describe('the rules of the chat format', () => {
  const call = (id: string) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })
  const signed = (text: string, by: Account) => ({
    type: 'reasoning.text',
    text,
    signature: by.prove('Hm.', 'c'),
    format: 'anthropic-claude-v1',
    index: 0,
  })
  const refusal = (messages: readonly object[], reasoning: ChatReasoning = 'details', more: object = {}) =>
    refusalBy(() => checkChatRequest({ model: 'm', messages, ...more }, { account: own, reasoning }))
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const round = (id: string, more: object = {}) => [
    user,
    { role: 'assistant', content: null, tool_calls: [call(id)], ...more },
    { role: 'tool', tool_call_id: id, content: 'r' },
  ]

  it('accept valid exchanges', () => {
    expect(refusal(round('a', { reasoning_details: [signed('Hm.', own)] }))).toBe('')
    expect(refusal(round('x'.repeat(40)), 'hidden')).toBe('')
    expect(refusal(round('a', { reasoning_content: '' }), 'content', { tools })).toBe('')
  })

  it.each([
    ['C5', () => refusal(round('x'.repeat(41)))],
    ['C5', () => refusal([user, { role: 'assistant', tool_calls: [call('a'), call('a')] }])],
    ['C8', () => refusal(round('a', { reasoning_details: [signed('Other.', own)] }))],
    ['C8', () => refusal(round('a', { reasoning_details: [signed('Hm.', foreign)] }))],
    ['C8', () => refusal(round('a', { reasoning_details: [{ type: 'reasoning.encrypted', data: 'x' }] }))],
    ['C8', () => refusal(round('a', { reasoning_details: [signed('Hm.', own)] }), 'hidden')],
    ['C9', () => refusal(round('a'), 'content', { tools })],
    // Those of strictness.test.ts, which this reader builds on.
    ['must be followed', () => refusal(round('a').slice(0, 2))],
    ['Unrecognized', () => refusal([{ ...user, cache: 1 }])],
  ])('refuse by %s', (rule, ask) => {
    expect(ask()).toContain(rule)
  })
})

describe('the rules of the messages format', () => {
  const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} })
  const result = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: 'r' })
  const thought = (by: Account, thinking = 'Hm.') => ({
    type: 'thinking',
    thinking,
    signature: by.prove('Hm.', 'm'),
  })
  const text = (words: string) => ({ type: 'text', text: words })
  const said = (...content: readonly object[]) => ({ role: 'assistant', content })
  const gave = (...content: readonly object[]) => ({ role: 'user', content })
  const refusal = (messages: readonly object[], more: object = {}) =>
    refusalBy(() =>
      checkMessagesRequest({ model: 'm', max_tokens: 2_000, messages, ...more }, { betas: '', account: own }),
    )
  const budget = { thinking: { type: 'enabled', budget_tokens: 1_024 } }
  const answer = (properties: object, more: object = {}) => {
    const closed = { type: 'object', properties, required: Object.keys(properties), ...more }
    const schema = { additionalProperties: false, ...closed }
    return refusal([user], { output_config: { format: { type: 'json_schema', schema } } })
  }
  const tool = (schema: object, more: object = {}) => ({
    name: 'f',
    input_schema: { type: 'object', ...schema },
    ...more,
  })
  const nullable = { type: ['string', 'null'] }
  const many = (count: number, value: object) =>
    Object.fromEntries(Array.from({ length: count }, (_, index) => [`p${index}`, value]))
  const ref = (name: string) => ({ $ref: `#/$defs/${name}` })

  it('accept valid exchanges', () => {
    expect(answer(many(16, nullable))).toBe('')
    expect(answer({ a: ref('A'), b: ref('A') }, { $defs: { A: { enum: ['x', null] } } })).toBe('')
    expect(refusal([user], { tools: [tool({ properties: { a: { $ref: '#' } } })] })).toBe('')
    const round = [user, said(thought(own), use('a'), use('b')), gave(result('b'), result('a'), text('x'))]
    expect(refusal(round, budget)).toBe('')
    expect(
      refusal([...round, said(text('Done.')), user, said(thought(own), use('c')), gave(result('c'))], budget),
    ).toBe('')
    expect(
      refusal([user, said({ type: 'redacted_thinking', data: own.prove('s', 'm') }, text('x')), user]),
    ).toBe('')
  })

  it.each([
    ['M2', () => refusal([user, said(use('a'), use('b')), gave(result('a'))])],
    ['M3', () => refusal([user, said(use('a')), gave(text('x'), result('a'))])],
    ['M4', () => refusal([user, said(use('a.b')), gave(result('a.b'))])],
    ['M4', () => refusal([user, said(use('a')), gave(result('a')), said(use('a')), gave(result('a'))])],
    ['M5', () => refusal([user, said(text(' ')), user])],
    ['M5', () => refusal([user, said(), user])],
    ['Invalid `signature`', () => refusal([user, said(thought(own, 'Other.'), text('x')), user])],
    ['Invalid `signature`', () => refusal([user, said(thought(foreign), text('x')), user])],
    ['M6', () => refusal([user, said({ type: 'redacted_thinking', data: 'x' }, text('x')), user])],
    ['M7', () => refusal([user, said(use('a')), gave(result('a'))], budget)],
    ['M8', () => refusal([user, said(text('x'), thought(own)), user])],
    ['max_tokens', () => refusal([user], { thinking: { type: 'enabled', budget_tokens: 2_000 } })],
    ['M12', () => refusal([said(text('x')), user])],
    ['M13', () => refusal([user, said(text('x '))])],
    ['M14', () => answer({ a: { oneOf: [] } })],
    ['M14', () => answer({ a: { type: 'integer', format: 'int32' } })],
    ['M14', () => answer({ a: { ...nullable, enum: ['x', null] } })],
    ['M14', () => answer({ a: { enum: [{}] } })],
    ['M14', () => answer({ a: { allOf: [ref('A')] } }, { $defs: { A: nullable } })],
    ['M15', () => answer({ a: { $ref: '#' } })],
    ['M15', () => answer({ a: ref('A') })],
    ['M15', () => answer({ a: ref('A') }, { $defs: { A: { anyOf: [ref('B')] }, B: { anyOf: [ref('A')] } } })],
    ['M16', () => answer({ a: { type: 'object', additionalProperties: nullable } })],
    ['M16', () => refusal([user], { tools: [tool({}, { strict: true })] })],
    ['M17', () => answer(many(25, { type: 'string' }), { required: [] })],
    ['M17', () => answer(many(17, nullable))],
    ['M18', () => refusal([user], { tools: [tool({ anyOf: [] })] })],
  ])('refuse by %s', (rule, ask) => {
    expect(ask()).toContain(rule)
  })
})

describe('the rules of the responses format', () => {
  const call = (call_id: string, more: object = {}) => ({
    type: 'function_call',
    call_id,
    name: 'f',
    arguments: '{}',
    ...more,
  })
  const output = (call_id: string) => ({ type: 'function_call_output', call_id, output: 'r' })
  const reasoning = (by: Account, more: object = {}) => ({
    type: 'reasoning',
    summary: [],
    encrypted_content: by.prove('Hm.', 'r'),
    ...more,
  })
  const refusal = (input: readonly object[], more: object = {}) =>
    refusalBy(() => checkResponsesRequest({ model: 'm', store: false, input, ...more }, own))

  it('accept valid exchanges', () => {
    expect(refusal([user, reasoning(own), call('a'), call('b'), output('b'), output('a')])).toBe('')
    own.recordReasoning('fc_1', own.prove('Hm.', 'r'))
    expect(refusal([user, reasoning(own), call('a', { id: 'fc_1' }), output('a')])).toBe('')
  })

  it.each([
    ['Unrecognized', () => refusal([{ ...user, cache: 1 }])],
    ['R2', () => refusal([user, call('a')])],
    ['R2', () => refusal([user, output('a'), call('a')])],
    ['R3', () => refusal([user, call('a'), call('a'), output('a')])],
    ['R3', () => refusal([user, call('x'.repeat(65)), output('x'.repeat(65))])],
    ['R4', () => refusal([user, call('a', { arguments: '[' }), output('a')])],
    ['R5', () => refusal([user, call('a', { id: 'toolu_1' }), output('a')])],
    [
      'R5',
      () => refusal([user, call('a', { id: 'fc_2' }), call('b', { id: 'fc_2' }), output('a'), output('b')]),
    ],
    ['R6', () => refusal([user, reasoning(foreign), call('a'), output('a')])],
    ['R7', () => refusal([user, reasoning(own, { encrypted_content: undefined }), call('a'), output('a')])],
    ['R8', () => refusal([user, reasoning(own), user])],
    ['R8', () => refusal([user, reasoning(own)])],
    ['R9', () => refusal([user, call('a', { id: 'fc_1' }), output('a')])],
    ['R10', () => refusal([user], { tool_choice: 'auto' })],
    ['R10', () => refusal([user], { max_output_tokens: 15 })],
    ['R11', () => refusal([user], { store: true })],
  ])('refuse by %s', (rule, ask) => {
    expect(ask()).toContain(rule)
  })
})

describe('the rules of the Gemini format', () => {
  const call = (name: string, more: object = {}) => ({ functionCall: { name, args: {} }, ...more })
  const signature = (by: Account) => ({ thoughtSignature: by.prove('Hm.', 'g') })
  const result = (name: string) => ({ functionResponse: { name, response: { output: 'r' } } })
  const content = (role: string, ...parts: readonly object[]) => ({ role, parts })
  const asked = content('user', { text: 'Hi' })
  const refusal = (contents: readonly object[]) =>
    refusalBy(() => checkGeminiRequest({ contents }, { account: own, model: 'm', isStream: false }))

  it('accept valid exchanges', () => {
    const round = [
      content('model', call('f', signature(own)), call('g')),
      content('user', result('f'), result('g')),
    ]
    expect(refusal([asked, ...round, content('model', { text: 'Done.' }), asked])).toBe('')
    const foreign = call('f', { thoughtSignature: 'skip_thought_signature_validator' })
    expect(refusal([asked, content('model', foreign), content('user', result('f'))])).toBe('')
    // Only what was said since the user's last words is looked at.
    expect(refusal([asked, content('model', call('f')), content('user', result('f')), asked])).toBe('')
  })

  it.each([
    ['G1', () => refusal([content('user', { text: 'Hi', ...result('f') })])],
    ['Unrecognized', () => refusal([content('user', { text: 'Hi', cache: 1 })])],
    ['G2', () => refusal([content('assistant', { text: 'Hi' })])],
    ['G2', () => refusal([content('user')])],
    ['G3', () => refusal([asked, content('model', call('f'), call('g')), content('user', result('f'))])],
    ['G4', () => refusal([content('model', call('f', signature(own))), content('user', result('f'))])],
    ['G5', () => refusal([asked, content('user', result('f')), content('user', result('f'))])],
    ['G6', () => refusal([asked, content('model', call('f')), content('user', result('f'))])],
    ['G7', () => refusal([asked, content('model', { text: 'x', ...signature(foreign) }), asked])],
    ['G8', () => refusal([asked, content('model', { text: 'x' })])],
  ])('refuse by %s', (rule, ask) => {
    expect(ask()).toContain(rule)
  })
})

describe('the rules of Converse', () => {
  const use = (toolUseId: string) => ({ toolUse: { toolUseId, name: 'f', input: {} } })
  const result = (toolUseId: string) => ({ toolResult: { toolUseId, content: [{ text: 'r' }] } })
  const thought = (by: Account, text = 'Hm.') => ({
    reasoningContent: { reasoningText: { text, signature: by.prove('Hm.', 'b') } },
  })
  const asked = { role: 'user', content: [{ text: 'Hi' }] }
  const said = (...content: readonly object[]) => ({ role: 'assistant', content })
  const gave = (...content: readonly object[]) => ({ role: 'user', content })
  const toolConfig = { tools: [{ toolSpec: { name: 'f', inputSchema: { json: {} } } }] }
  const budget = { additionalModelRequestFields: { thinking: { type: 'enabled', budget_tokens: 1_024 } } }
  const refusal = (messages: readonly object[], more: object = { toolConfig }) =>
    refusalBy(() =>
      checkConverseRequest({ messages, ...more }, { account: own, model: 'm', isStream: false }),
    )

  it('accept valid exchanges', () => {
    const round = [asked, said(thought(own), use('a'), use('b')), gave(result('b'), result('a'))]
    expect(refusal(round, { toolConfig, ...budget })).toBe('')
  })

  it.each([
    ['B1', () => refusal([gave({ text: 'x', ...use('a') })])],
    ['Unrecognized', () => refusal([gave({ text: 'x', cache: 1 })])],
    ['B2', () => refusal([asked, asked])],
    ['B2', () => refusal([asked, said({ text: 'x' })])],
    ['B3', () => refusal([asked, said(use('a')), asked])],
    ['B4', () => refusal([asked, said(use('a.b')), gave(result('a.b'))])],
    ['B4', () => refusal([asked, said(use('a')), gave(result('a')), said(use('a')), gave(result('a'))])],
    ['B5', () => refusal([gave({ text: ' ' })])],
    ['B6', () => refusal([asked, said(thought(foreign), { text: 'x' }), asked])],
    ['B6', () => refusal([asked, said(thought(own, 'Other.'), { text: 'x' }), asked])],
    ['B7', () => refusal([asked, said(use('a')), gave(result('a'))], {})],
    ['B8', () => refusal([asked, said(use('a')), gave(result('a'))], { toolConfig, ...budget })],
    ['B9', () => refusal([asked, said({ text: 'x' }, thought(own)), asked])],
  ])('refuse by %s', (rule, ask) => {
    expect(ask()).toContain(rule)
  })
})

describe('the rules of Cohere', () => {
  const call = (id: string, input = '{}') => ({
    id,
    type: 'function',
    function: { name: 'f', arguments: input },
  })
  const called = (...tool_calls: readonly object[]) => ({ role: 'assistant', tool_calls })
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' })
  const refusal = (messages: readonly object[]) =>
    refusalBy(() => checkCohereRequest({ model: 'm', messages }))

  it('accept valid exchanges', () => {
    expect(refusal([user, called(call('a'), call('b')), result('b'), result('a'), user])).toBe('')
  })

  it.each([
    ['Unrecognized', () => refusal([{ ...user, name: 'x' }])],
    ['K2', () => refusal([user, called(call('a'), call('b')), result('a')])],
    ['K2', () => refusal([user, called(call('a')), user])],
    ['K3', () => refusal([user, result('a')])],
    ['K4', () => refusal([user, called(call('a', '[')), result('a')])],
    ['K5', () => refusal([user, { role: 'assistant' }, user])],
    ['K6', () => refusal([user, { role: 'assistant', content: 'x' }])],
  ])('refuse by %s', (rule, ask) => {
    expect(ask()).toContain(rule)
  })
})
