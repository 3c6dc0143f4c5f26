import { describe, expect, it } from 'vitest'
import type { ToolCallBlock, ToolResultBlock } from '../../canonical/content.ts'
import type { Turn } from '../../canonical/request.ts'
import { claudeDialect } from '../../providers/models/claude-dialect.ts'
import { defaultDialect } from '../dialect.ts'
import { writeRequest } from '../messages/request/write-request.ts'

const user = (text: string): Turn => ({ role: 'user', content: [{ type: 'text', text }] })
const assistant = (text: string): Turn => ({ role: 'assistant', content: [{ type: 'text', text }] })
const system = (text: string): Turn => ({
  role: 'system',
  authority: 'system',
  content: [{ type: 'text', text }],
})

const call = (id: string): ToolCallBlock => ({
  type: 'tool-call',
  id,
  name: 'f',
  kind: 'function',
  input: '{}',
})

const calls = (...ids: readonly string[]): Turn => ({ role: 'assistant', content: ids.map(call) })
const result = (callId: string): ToolResultBlock => ({
  type: 'tool-result',
  callId,
  content: [{ type: 'text', text: `of ${callId}` }],
  isError: false,
})

const results = (...ids: readonly string[]): Turn => ({ role: 'tool', results: ids.map(result) })

function write(turns: readonly Turn[], model = 'm') {
  const dialect = { ...defaultDialect, ...claudeDialect(model) }
  const request = { model: 'public', turns, stream: false, maxOutputTokens: 99 }
  const { value, losses } = writeRequest(request, { model, dialect })
  const named = losses.map(({ feature, kind }) => `${feature} ${kind}`)
  return { system: value['system'], messages: value['messages'], losses: named }
}

describe('calls and their results', () => {
  it('stay together unchanged when each call has its result', () => {
    const { messages, losses } = write([user('a'), calls('c1', 'c2'), results('c2', 'c1'), user('b')])
    expect(messages).toMatchObject([
      { content: 'a' },
      { content: [{ id: 'c1' }, { id: 'c2' }] },
      { content: [{ tool_use_id: 'c2', content: 'of c2' }, { tool_use_id: 'c1' }, { text: 'b' }] },
    ])
    expect(losses).toEqual([])
  })

  it('get ids in the provider’s letters, the same for a call and its result, and unique', () => {
    const odd = ['functions.f:0', 'functions.f:1', 'ü', 'x'.repeat(80), '']
    const { messages, losses } = write([user('a'), calls(...odd), results(...odd)])
    const [, asked, answered] = JSON.parse(JSON.stringify(messages))
    const ids = asked.content.map((block: { id: string }) => block.id)
    expect(new Set(ids).size).toBe(odd.length)
    for (const id of ids) expect(id).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
    expect(answered.content.map((block: { tool_use_id: string }) => block.tool_use_id)).toEqual(ids)
    expect(losses).toEqual([])
  })

  it('get different ids for one id in two rounds, as servers that count from 0 give them', () => {
    const { messages, losses } = write([
      user('a'),
      calls('call_0'),
      results('call_0'),
      calls('call_0'),
      results('call_0'),
    ])
    expect(messages).toMatchObject([
      {},
      { content: [{ id: 'call_0' }] },
      { content: [{ tool_use_id: 'call_0' }] },
      { content: [{ id: 'call_0_2' }] },
      { content: [{ tool_use_id: 'call_0_2' }] },
    ])
    expect(losses).toEqual([])
  })

  it('are completed: a call without a result gets a result that says so', () => {
    const missing = {
      type: 'tool_result',
      tool_use_id: 'c2',
      content: 'The tool gave no result.',
      is_error: true,
    }
    const { messages, losses } = write([user('a'), calls('c1', 'c2'), results('c1'), user('b')])
    expect(messages).toMatchObject([{}, {}, { content: [{ tool_use_id: 'c1' }, missing, { text: 'b' }] }])
    expect(losses).toEqual(['tool-result-content defaulted'])
    expect(write([user('a'), calls('c2')]).messages).toMatchObject([{}, {}, { content: [missing] }])
  })

  it('become text of the user for a result without its call', () => {
    const { messages, losses } = write([user('a'), calls('c1'), results('c1', 'c9'), user('b')])
    expect(messages).toMatchObject([
      {},
      {},
      { content: [{ tool_use_id: 'c1' }, { text: 'Result of the tool call c9:' }, { text: 'of c9' }] },
      { role: 'user', content: 'b' },
    ])
    expect(losses).toEqual(['tool-result-content approximated'])
  })
})

describe('the order of a conversation', () => {
  it('begins with the user', () => {
    const { system: said, messages, losses } = write([system('s'), assistant('Hello!'), user('a')])
    expect([said, messages]).toMatchObject([
      's',
      [{ role: 'user', content: 'Begin.' }, { role: 'assistant' }, { content: 'a' }],
    ])
    expect(losses).toEqual(['turn-order approximated'])
  })

  it('lets the model continue an answer if it can, without white space at its end', () => {
    const { messages, losses } = write([user('a'), assistant('{"x": ')], 'claude-sonnet-4-5')
    expect(messages).toMatchObject([{}, { role: 'assistant', content: '{"x":' }])
    expect(losses).toEqual(['turn-order approximated'])
    expect(write([user('a'), assistant('{')], 'claude-sonnet-4-5').losses).toEqual([])
  })

  it('has the user ask for more if the model cannot continue an answer', () => {
    const { messages, losses } = write([user('a'), assistant('{')], 'claude-opus-4-6')
    expect(messages).toMatchObject([{}, { role: 'assistant' }, { role: 'user', content: 'Continue.' }])
    expect(losses).toEqual(['turn-order approximated'])
  })

  it('moves later system messages to the head if the model accepts them only there', () => {
    const turns = [system('s'), user('a'), system('t'), user('b')]
    const older = write(turns, 'claude-sonnet-4-5')
    expect(older.system).toEqual([
      { type: 'text', text: 's' },
      { type: 'text', text: 't' },
    ])
    expect(older.messages).toMatchObject([{ content: 'a' }, { content: 'b' }])
    expect(older.losses).toEqual(['system-position approximated'])
    const newer = write(turns, 'claude-opus-5')
    expect(newer.messages).toMatchObject([
      { content: 'a' },
      { role: 'system', content: 't' },
      { content: 'b' },
    ])
    expect(newer.losses).toEqual([])
  })

  it('delays a system message until after the user’s if the model accepts it only there', () => {
    const { messages, losses } = write(
      [user('a'), assistant('b'), system('t'), system('u'), user('c'), assistant('d'), user('e')],
      'claude-opus-5',
    )
    const both = [{ text: 't' }, { text: 'u' }]
    expect(messages).toMatchObject([{}, {}, { content: 'c' }, { role: 'system', content: both }, {}, {}])
    expect(losses).toEqual(['system-position approximated'])
    const last = write([user('a'), system('t')], 'claude-opus-5')
    expect([last.messages, last.losses]).toMatchObject([
      [{ content: 'a' }, { role: 'system', content: 't' }],
      [],
    ])
    const never = write([user('a'), assistant('b'), system('t')], 'claude-opus-5')
    expect(never.system).toBe('t')
  })
})

describe('a turn that cannot be sent', () => {
  const sound: Turn = {
    role: 'user',
    content: [
      { type: 'text', text: ' ' },
      { type: 'audio', data: 'AAAA', encoding: 'wav' },
    ],
  }

  it('leaves a valid order when the conversation begins with it', () => {
    const { messages, losses } = write([sound, assistant('Hello.'), user('b')])
    expect(messages).toEqual([
      { role: 'user', content: 'Begin.' },
      { role: 'assistant', content: 'Hello.' },
      { role: 'user', content: 'b' },
    ])
    expect(losses).toEqual(['audio dropped', 'turn-order approximated'])
  })

  it('never makes the model continue its last answer, when it is the only request of the user', () => {
    const turns = [user('a'), assistant('Hello.'), sound]
    const target = { model: 'm', dialect: defaultDialect }
    expect(writeRequest({ model: 'public', turns, stream: false }, target).isSilent).toBe(true)
  })
})

describe('thinking at the end of an assistant message', () => {
  const thought = { type: 'thinking', text: 'Hm.', signature: 's' } as const

  it('is left out, together with a message that has nothing else', () => {
    const { messages, losses } = write([
      user('a'),
      { role: 'assistant', content: [thought] },
      user('b'),
      { role: 'assistant', content: [{ type: 'text', text: 'B.' }, thought] },
      user('c'),
    ])
    expect(messages).toEqual([
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: 'B.' },
      { role: 'user', content: 'c' },
    ])
    expect(losses).toEqual(['thinking dropped'])
  })

  it('stays before text in the next message', () => {
    const { messages, losses } = write([
      user('a'),
      { role: 'assistant', content: [thought] },
      assistant('A.'),
      user('b'),
    ])
    expect(messages).toMatchObject([{}, { content: [{ thinking: 'Hm.' }] }, { content: 'A.' }, {}])
    expect(losses).toEqual([])
  })
})
