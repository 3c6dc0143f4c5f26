import { describe, expect, it } from 'vitest'
import { foldReply } from '../../canonical/fold-reply.ts'
import type { Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import { createStreamReader } from '../chat/reply/stream-reader.ts'
import { createStreamWriter } from '../chat/reply/stream-writer.ts'
import { writeReply } from '../chat/reply/write-reply.ts'
import { readRequest as readChatRequest } from '../chat/request/read-request.ts'
import { defaultDialect } from '../dialect.ts'
import { readReply } from './reply/read-reply.ts'
import { writeRequest } from './request/write-request.ts'

const thought = [
  { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
  { type: 'redacted_thinking', data: 'ZGF0YQ==' },
]
const content = [...thought, { type: 'tool_use', id: 'c1', name: 'f', input: {} }]
const answer = {
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model: 'm',
  content,
  stop_reason: 'tool_use',
  usage: { input_tokens: 1, output_tokens: 2 },
}

function readAnswer(): Reply {
  const reply = readReply(answer)
  if ('code' in reply) throw new Error(reply.message)
  return reply
}

/** The next request of a chat client that keeps the assistant's message, in the messages format. */
function sendBack(message: object) {
  const body: JsonObject = JSON.parse(
    JSON.stringify({
      model: 'm',
      messages: [
        { role: 'user', content: 'Hi' },
        message,
        { role: 'tool', tool_call_id: 'c1', content: 'r' },
      ],
    }),
  )
  const { value, losses } = writeRequest(readChatRequest(body), { model: 'm', dialect: defaultDialect })
  return { messages: value['messages'], losses: losses.filter(({ kind }) => kind !== 'defaulted') }
}

describe('signed and redacted thinking of a caller of the chat format', () => {
  it('comes back unchanged to its provider', () => {
    const { choices } = JSON.parse(JSON.stringify(writeReply(readAnswer()).value))
    expect(choices[0].message).toMatchObject({ reasoning_content: 'Hm.' })
    const sent = sendBack(choices[0].message)
    expect(sent.messages).toMatchObject([{}, { role: 'assistant', content }, {}])
    expect(sent.losses).toEqual([])
  })

  it('comes back whole from a stream, too, whether its reader joins the pieces or only collects them', () => {
    const writer = createStreamWriter({ streamUsage: true, requestId: 'r' })
    const text = unfoldReply(readAnswer())
      .map((event) => writer.push(event))
      .join('')
    const reader = createStreamReader()
    const events = createSseParser()
      .push(Buffer.from(text))
      .flatMap((frame) => reader.push(frame))
    const again = foldReply([...events, ...reader.end()])
    expect(again).toMatchObject({ choices: [{ content: readAnswer().choices[0]?.content }] })
    const details = [...text.matchAll(/"reasoning_details":(\[[^\]]*\])/g)].flatMap(([, list]) =>
      JSON.parse(list ?? ''),
    )
    const kept = { role: 'assistant', content: null, reasoning_content: 'Hm.', reasoning_details: details }
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    expect(sendBack({ ...kept, tool_calls: calls }).messages).toMatchObject([{}, { content }, {}])
  })

  it('is left out, declared, when another provider signed it', () => {
    const detail = {
      type: 'reasoning.encrypted',
      data: 'x',
      format: 'openai-responses-v1',
      id: 'rs_1',
      index: 0,
    }
    const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
    const sent = sendBack({
      role: 'assistant',
      content: null,
      reasoning_details: [detail],
      tool_calls: calls,
    })
    expect(sent.messages).toMatchObject([{}, { content: [{ type: 'tool_use' }] }, {}])
    expect(sent.losses).toEqual([{ feature: 'thinking', kind: 'dropped' }])
  })
})
