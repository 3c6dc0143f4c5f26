import Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import type { Reply } from '../canonical/reply.ts'
import { unfoldReply } from '../canonical/unfold-reply.ts'
import { isJsonArray, isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { createSseParser } from '../kit/sse/sse-parser.ts'
import { chatFormat } from './chat/format.ts'
import { completionsFormat } from './completions/format.ts'
import { geminiFormat } from './gemini/format.ts'
import { messagesFormat } from './messages/format.ts'
import { responsesFormat } from './responses/format.ts'
import type { ConversationFormat } from './wire-format.ts'

const said: Reply = { id: 'r', model: 'm', choices: [{ content: [{ type: 'text', text: 'Hi' }] }] }
const call = { type: 'tool-call', id: 'c', name: 'f', kind: 'function', input: '{}' } as const
const called: Reply = { ...said, choices: [{ content: [call] }] }

function stream(format: ConversationFormat, reply: Reply) {
  const writer = format.createStreamWriter({ streamUsage: false, requestId: 'r' })
  const text = unfoldReply(reply)
    .map((event) => writer.push(event))
    .join('')
  const frames = createSseParser()
    .push(Buffer.from(text))
    .flatMap(({ data = '' }) => (data.startsWith('{') ? [JSON.parse(data)] : []))
  return { frames: frames.filter(isJsonObject), losses: writer.losses, text }
}

/** The reason of the end, wherever a format says it. */
function endOf(value: JsonObject): unknown {
  const { stop_reason: stop, delta, choices, candidates, response, status } = value
  const [choice] = [choices, candidates].flatMap((list) => (isJsonArray(list) ? list : []))
  const inner = [delta, choice, response].find(isJsonObject)
  if (stop !== undefined && stop !== null) return stop
  if (inner === undefined) return status
  return inner['stop_reason'] ?? inner['finish_reason'] ?? inner['finishReason'] ?? inner['status']
}

describe('an answer without a finish reason from the provider', () => {
  it.each([
    [messagesFormat, said, 'end_turn'],
    [chatFormat, said, 'stop'],
    [chatFormat, called, 'tool_calls'],
    [completionsFormat, said, 'stop'],
    [geminiFormat, said, 'STOP'],
    [responsesFormat, said, 'completed'],
  ] as const)('has one for callers of the format ($id), declared', (format, reply, word) => {
    const whole = format.writeReply(reply)
    expect(endOf(whole.value)).toBe(word)
    const streamed = stream(format, reply)
    expect(streamed.frames.map(endOf)).toContain(word)
    for (const { losses } of [whole, streamed]) {
      expect(losses).toContainEqual({ feature: 'stop-reason', kind: 'defaulted' })
    }
  })

  it('has the stop reason tool_use for callers of the messages format', () => {
    expect(messagesFormat.writeReply(called).value['stop_reason']).toBe('tool_use')
  })

  it('is a finished message for the official client', async () => {
    const { text } = stream(messagesFormat, said)
    const body = () =>
      Promise.resolve(new Response(text, { headers: { 'content-type': 'text/event-stream' } }))
    const client = new Anthropic({ apiKey: 'k', baseURL: 'http://localhost', fetch: body })
    const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] }
    const message = await client.messages.stream(request).finalMessage()
    expect(message.stop_reason).toBe('end_turn')
  })
})
