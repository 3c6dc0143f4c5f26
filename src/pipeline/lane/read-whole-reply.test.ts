import { expect, it } from 'vitest'
import { countPauses } from '../../../test/support/count-pauses.ts'
import type { Reply } from '../../canonical/reply.ts'
import { unfoldReply } from '../../canonical/unfold-reply.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { messagesFormat } from '../../wire/messages/format.ts'
import { responsesFormat } from '../../wire/responses/format.ts'
import { encodeWhole, writeReplay } from './read-whole-reply.ts'

const formats = { chat: chatFormat, messages: messagesFormat, responses: responsesFormat }

function replyOf(text: string): Reply {
  const content = [
    { type: 'text' as const, text },
    { type: 'text' as const, text: `${text}!` },
  ]
  return { id: 'r', model: 'm', createdAtSeconds: 1, choices: [{ content, stopReason: 'end' }] }
}

it.each(Object.entries(formats))(
  'a large answer is replayed to %s callers with the bytes of its events',
  (_name, format) => {
    const reply = replyOf('grüße 😀\n'.repeat(200_000))
    const open = () => format.createStreamWriter({ streamUsage: true, requestId: 'req_1' })
    const { value } = countPauses(writeReplay(reply, { writer: open(), costOf: undefined }))
    const writer = open()
    const events = unfoldReply(reply).map((event) => writer.push(event))
    expect(String(value.body) === events.join('')).toBe(true)
    expect(value.body).toBeInstanceOf(Buffer)
  },
)

it.each(Object.entries({ ...formats, gemini: geminiFormat }))(
  'many log probabilities are replayed to %s callers with pauses between them',
  (_name, format) => {
    const entry = { token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }
    const replay = (count: number) => {
      const logprobs = { content: Array.from({ length: count }, () => entry) }
      const [choice] = replyOf('x').choices
      const reply = { ...replyOf('x'), choices: [{ content: [], ...choice, logprobs }] }
      const writer = format.createStreamWriter({ streamUsage: true, requestId: 'req_1' })
      return countPauses(writeReplay(reply, { writer, costOf: undefined })).pauses
    }
    expect(replay(10_000) - replay(10)).toBeGreaterThanOrEqual(8)
  },
)

it('a small answer is replayed as one text', () => {
  const writer = chatFormat.createStreamWriter({ streamUsage: true, requestId: 'req_1' })
  expect(typeof countPauses(writeReplay(replyOf('x'), { writer, costOf: undefined })).value.body).toBe(
    'string',
  )
})

it('a large answer is encoded in a step of its own', () => {
  const value = { text: 'grüße 😀\n'.repeat(200_000) }
  const encoded = countPauses(encodeWhole(value))
  expect(encoded.pauses).toBe(1)
  expect(encoded.value.toString() === JSON.stringify(value)).toBe(true)
})
