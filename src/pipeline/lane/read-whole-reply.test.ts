import { expect, it } from 'vitest'
import type { Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { responsesFormat } from '../../wire/responses/format.ts'
import type { Steps } from '../relay/answer-steps.ts'
import { encodeWhole, writeReplay } from './read-whole-reply.ts'

const formats = { chat: chatFormat, messages: messagesFormat, responses: responsesFormat }

function replyOf(text: string): Reply {
  const content = [
    { type: 'text' as const, text },
    { type: 'text' as const, text: `${text}!` },
  ]
  return { id: 'r', model: 'm', createdAtSeconds: 1, choices: [{ content, stopReason: 'end' }] }
}

function take<Value>(steps: Steps<Value>) {
  let pauses = 0
  for (let next = steps.next(); ; next = steps.next(), pauses += 1)
    if (next.done === true) return { value: next.value, pauses }
}

it.each(Object.entries(formats))(
  'a large answer is replayed to %s callers with the bytes of its events',
  (_name, format) => {
    const reply = replyOf('grüße 😀\n'.repeat(200_000))
    const open = () => format.createStreamWriter({ streamUsage: true, requestId: 'req_1' })
    const { value } = take(writeReplay(reply, open()))
    const writer = open()
    const events = unfoldReply(reply).map((event) => writer.push(event))
    expect(String(value.body) === events.join('')).toBe(true)
    expect(value.body).toBeInstanceOf(Buffer)
  },
)

it('a small answer is replayed as one text', () => {
  const writer = chatFormat.createStreamWriter({ streamUsage: true, requestId: 'req_1' })
  expect(typeof take(writeReplay(replyOf('x'), writer)).value.body).toBe('string')
})

it('a large answer is encoded in a step of its own', () => {
  const value = { text: 'grüße 😀\n'.repeat(200_000) }
  const encoded = take(encodeWhole(value))
  expect(encoded.pauses).toBe(1)
  expect(encoded.value.toString() === JSON.stringify(value)).toBe(true)
})
