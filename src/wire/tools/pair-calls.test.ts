import { describe, expect, it } from 'vitest'
import type { ChatRequest, Turn } from '../../canonical/request.ts'
import { isJsonArray, isJsonObject, type JsonObject, type JsonValue } from '../../kit/json/json.ts'
import { chatFormat } from '../chat/format.ts'
import { cohereFormat } from '../cohere/format.ts'
import { defaultDialect } from '../dialect.ts'
import { responsesFormat } from '../responses/format.ts'
import type { ChannelFormat } from '../wire-format.ts'

const user = (text: string): Turn => ({ role: 'user', content: [{ type: 'text', text }] })
const calls = (...ids: readonly string[]): Turn => ({
  role: 'assistant',
  content: ids.map((id) => ({ type: 'tool-call', id, name: 'f', kind: 'function', input: '{}' })),
})
const results = (...ids: readonly string[]): Turn => ({
  role: 'tool',
  results: ids.map((callId) => ({
    type: 'tool-result',
    callId,
    content: [{ type: 'text', text: `of ${callId}` }],
    isError: false,
  })),
})

const formats: readonly (readonly [string, ChannelFormat])[] = [
  ['chat', chatFormat],
  ['cohere', cohereFormat],
  ['responses', responsesFormat],
]

/** What is said of calls in a body: `call ID`, `ID: result`, or the words of the user. */
function write(format: ChannelFormat, ...turns: readonly Turn[]) {
  const request: ChatRequest = { model: 'm', stream: false, turns }
  const { value, losses } = format.writeRequest(request, { model: 'm', dialect: defaultDialect })
  const messages = value['messages'] ?? value['input'] ?? null
  const said = (isJsonArray(messages) ? messages : []).flatMap((each) =>
    isJsonObject(each) ? describeMessage(each) : [],
  )
  return { said, losses: losses.map(({ feature, kind }) => `${feature} ${kind}`) }
}

function describeMessage(message: JsonObject): readonly string[] {
  const { role, type, call_id: callId, tool_call_id: answered, tool_calls: called } = message
  if (type === 'function_call') return [`call ${callId}`]
  if (type === 'function_call_output') return [`${callId}: ${message['output']}`]
  if (role === 'tool') return [`${answered}: ${wordsOf(message['content'])}`]
  if (role !== 'assistant') return [wordsOf(message['content'])]
  return (isJsonArray(called) ? called : []).map((call) => `call ${isJsonObject(call) ? call['id'] : ''}`)
}

function wordsOf(content: JsonValue | undefined): string {
  if (!isJsonArray(content)) return String(content)
  return content.map((part) => (isJsonObject(part) ? part['text'] : '')).join(' ')
}

describe.each(formats)('calls and results on a channel of the %s format', (_name, format) => {
  it('are completed: a call without a result gets a result that says so', () => {
    expect(write(format, user('a'), calls('c1', 'c2'), results('c1'), user('b'))).toEqual({
      said: ['a', 'call c1', 'call c2', 'c1: of c1', 'c2: The tool gave no result.', 'b'],
      losses: ['tool-result-content defaulted'],
    })
    expect(write(format, user('a'), calls('c1')).said.at(-1)).toBe('c1: The tool gave no result.')
  })

  it('become text of the user for a result without its call', () => {
    expect(write(format, user('a'), calls('c1'), results('c1', 'c9'), user('b'))).toEqual({
      said: ['a', 'call c1', 'c1: of c1', 'Result of the tool call c9: of c9', 'b'],
      losses: ['tool-result-content approximated'],
    })
  })

  it('become text that says so for a failed result without its call', () => {
    const failed: Turn = {
      role: 'tool',
      results: [
        { type: 'tool-result', callId: 'c', content: [{ type: 'text', text: 'No.' }], isError: true },
      ],
    }
    expect(write(format, user('a'), failed).said).toEqual(['a', 'The tool call c failed: No.'])
  })

  it('get different ids for one id in two calls of a turn', () => {
    expect(write(format, user('a'), calls('c', 'c'), results('c', 'c'))).toEqual({
      said: ['a', 'call c', 'call c_2', 'c: of c', 'c_2: of c'],
      losses: [],
    })
  })

  it('get ids that no other call has', () => {
    const { said } = write(format, user('a'), calls('c_2', 'c', 'c', 'c'), results('c_2', 'c', 'c', 'c'))
    const ids = said.filter((words) => words.startsWith('call ')).map((words) => words.slice('call '.length))
    expect(new Set(ids).size).toBe(4)
    const later = write(format, user('a'), calls('c', 'c', 'c_2'), results('c', 'c', 'c_2')).said
    expect(new Set(later).size).toBe(later.length)
  })

  it('stay as they are where they pair', () => {
    expect(write(format, user('a'), calls('c1', 'c2'), results('c2', 'c1'), user('b'))).toEqual({
      said: ['a', 'call c1', 'call c2', 'c2: of c2', 'c1: of c1', 'b'],
      losses: [],
    })
  })
})

describe('one id in two rounds of calls, as servers that count from 0 give them', () => {
  const turns = [user('a'), calls('c'), results('c'), calls('c'), results('c')]

  it('becomes two on a channel of the responses format, which demands that', () => {
    expect(write(responsesFormat, ...turns)).toEqual({
      said: ['a', 'call c', 'c: of c', 'call c_2', 'c_2: of c'],
      losses: [],
    })
  })

  it('stays on a channel of the chat format', () => {
    expect(write(chatFormat, ...turns).said).toEqual(['a', 'call c', 'c: of c', 'call c', 'c: of c'])
  })
})

describe('a result that other words separate from its call', () => {
  it('stays where it is on a channel of the responses format, which takes that', () => {
    expect(write(responsesFormat, user('a'), calls('c'), user('b'), results('c'))).toEqual({
      said: ['a', 'call c', 'b', 'c: of c'],
      losses: [],
    })
  })
})
