import { describe, expect, it } from 'vitest'
import type { Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { writeReply as writeChatReply } from '../chat/reply/write-reply.ts'
import { readRequest as readChatRequest } from '../chat/request/read-request.ts'
import { defaultDialect } from '../dialect.ts'
import { readReply as readMessage } from '../messages/reply/read-reply.ts'
import { writeReply as writeMessage } from '../messages/reply/write-reply.ts'
import { readRequest as readMessagesRequest } from '../messages/request/read-request.ts'
import { writeRequest as writeMessagesRequest } from '../messages/request/write-request.ts'
import { writeReply as writeResponse } from '../responses/reply/write-reply.ts'
import { readRequest as readResponsesRequest } from '../responses/request/read-request.ts'
import { readReply } from './reply/read-reply.ts'
import { createStreamWriter } from './reply/stream-writer.ts'
import { writeReply } from './reply/write-reply.ts'
import { readRequest } from './request/read-request.ts'
import { writeRequest } from './request/write-request.ts'

const signed = { functionCall: { id: 'c1', name: 'f', args: { a: 1 } }, thoughtSignature: 'c2lnMQ==' }
const other = { functionCall: { id: 'c2', name: 'f', args: {} } }
const later = { functionCall: { id: 'c3', name: 'g', args: {} }, thoughtSignature: 'c2lnMw==' }

function answer(parts: readonly JsonObject[]): Reply {
  const reply = readReply({
    candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0 }],
    modelVersion: 'gemini-3-flash',
    responseId: 'r1',
  })
  if ('code' in reply) throw new Error(reply.message)
  return reply
}

const overTheWire = (value: unknown) => JSON.parse(JSON.stringify(value))

/** The parts that the provider gets of what its own answer became for a caller and came back. */
function modelParts(request: ReturnType<typeof readChatRequest>): JsonValue {
  const { value } = writeRequest(request, { model: 'gemini-3-flash', dialect: defaultDialect })
  const contents = overTheWire(value).contents
  return contents.find(({ role }: JsonObject) => role === 'model').parts
}

const ids = ['c1', 'c2', 'c3']

describe('signatures of the Gemini format', () => {
  it('come back to their parts from a caller of the chat format that returns the whole message', () => {
    const { message } = overTheWire(writeChatReply(answer([signed, other, later])).value).choices[0]
    expect(message.tool_calls).toHaveLength(3)
    const results = ids.map((id) => ({ role: 'tool', tool_call_id: id, content: 'r' }))
    const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }, message, ...results] }
    expect(modelParts(readChatRequest(body))).toEqual([signed, other, later])
  })

  it('come back to their parts from a caller of the messages format', () => {
    const { content } = overTheWire(writeMessage(answer([signed, other, later])).value)
    const results = ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'r' }))
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: results },
    ]
    const body = { model: 'm', max_tokens: 9, messages }
    expect(modelParts(readMessagesRequest(body))).toEqual([signed, other, later])
    // No other format takes them for signatures of its own.
    const elsewhere = writeMessagesRequest(readMessagesRequest(body), { model: 'm', dialect: defaultDialect })
    expect(JSON.stringify(elsewhere.value)).not.toContain('redacted_thinking')
  })

  it('come back to their parts from a caller of the responses format', () => {
    const { output } = overTheWire(writeResponse(answer([signed, other, later])).value)
    const results = ids.map((id) => ({ type: 'function_call_output', call_id: id, output: 'r' }))
    const body = { model: 'm', input: [{ role: 'user', content: 'Hi' }, ...output, ...results] }
    expect(modelParts(readResponsesRequest(body))).toEqual([signed, other, later])
  })

  it('stay at the end of an answer whose last part is signed without text', () => {
    const parts = [{ text: 'Hm.', thought: true }, { text: 'Hello.' }, { text: '', thoughtSignature: 'c2ln' }]
    const { content } = overTheWire(writeMessage(answer(parts)).value)
    expect(content.map(({ type }: JsonObject) => type)).toEqual(['thinking', 'text', 'redacted_thinking'])
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content },
      { role: 'user', content: 'Go on' },
    ]
    const sent = modelParts(readMessagesRequest({ model: 'm', max_tokens: 9, messages }))
    expect(sent).toEqual(parts.slice(1))
  })

  it('of another provider are on the part after the thought, for clients that drop thoughts', () => {
    const reply: Reply = {
      id: 'r',
      model: 'claude',
      choices: [
        {
          content: [
            { type: 'thinking', text: 'Hm.', signature: 'c2ln' },
            { type: 'tool-call', id: 'c1', name: 'f', kind: 'function', input: '{}' },
          ],
          stopReason: 'tool-calls',
        },
      ],
    }
    const { parts } = overTheWire(writeReply(reply).value).candidates[0].content
    expect(parts).toMatchObject([{ text: 'Hm.', thought: true }, { functionCall: { name: 'f' } }])
    expect(parts[1].thoughtSignature).toBeTypeOf('string')
    const writer = createStreamWriter()
    const stream = unfoldReply(reply)
      .map((event) => writer.push(event))
      .join('')
    expect(stream).toContain(JSON.stringify(parts[1]))
  })

  it('of another provider come back to it with the signed text, for any split of the stream', () => {
    const thought = { type: 'thinking', thinking: 'Hm. So.', signature: 'c2ln' }
    const hidden = { type: 'redacted_thinking', data: 'ZGF0YQ==' }
    const call = { type: 'tool_use', id: 'c1', name: 'f', input: {} }
    const message = readMessage({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'm',
      content: [thought, hidden, call],
      stop_reason: 'tool_use',
      usage: { input_tokens: 1, output_tokens: 2 },
    })
    if ('code' in message) throw new Error(message.message)
    const [content] = overTheWire(writeReply(message).value).candidates
    // The text of a thought comes in pieces, each a part of its own.
    const [words, ...parts] = content.content.parts
    const pieces = ['Hm.', ' So.'].map((text) => ({ ...words, text }))
    const answers = [{ functionResponse: { id: 'c1', name: 'f', response: { output: 'r' } } }]
    const contents = [
      { role: 'user', parts: [{ text: 'Hi' }] },
      // Some clients keep every chunk as a content of its own.
      ...pieces.map((piece) => ({ role: 'model', parts: [piece] })),
      { role: 'model', parts },
      { role: 'user', parts: answers },
    ]
    const { value, losses } = writeMessagesRequest(
      readRequest({ model: 'm', stream: false, contents, generationConfig: { maxOutputTokens: 9 } }),
      { model: 'm', dialect: defaultDialect },
    )
    expect(overTheWire(value).messages[1].content).toMatchObject([thought, hidden, call])
    expect(losses).toEqual([])
  })
})
