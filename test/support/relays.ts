import type { StreamRelay } from '../../src/pipeline/relay/stream-relay.ts'
import { createTranslatedRelay } from '../../src/pipeline/relay/translated-relay.ts'
import { createVerbatimRelay } from '../../src/pipeline/relay/verbatim-relay.ts'
import { chatFormat } from '../../src/wire/chat/format.ts'
import { messagesFormat } from '../../src/wire/messages/format.ts'
import { responsesFormat } from '../../src/wire/responses/format.ts'
import type { BodyFormatId } from './body-formats.ts'

export const formats = { chat: chatFormat, messages: messagesFormat, responses: responsesFormat } as const

/** The caller's format, then the channel's: each verbatim, and each pair translated. */
export const lanes: readonly (readonly [BodyFormatId, BodyFormatId])[] = [
  ['chat', 'chat'],
  ['messages', 'messages'],
  ['messages', 'chat'],
  ['chat', 'messages'],
  ['responses', 'responses'],
  ['responses', 'chat'],
  ['responses', 'messages'],
  ['chat', 'responses'],
  ['messages', 'responses'],
]

/** The relay that stands between a caller and a channel of these formats. */
export function createRelay(caller: BodyFormatId, channel: BodyFormatId): StreamRelay {
  if (caller === channel) return createVerbatimRelay(formats[caller])
  return createTranslatedRelay({
    reader: formats[channel].createStreamReader(),
    writer: formats[caller].createStreamWriter({ streamUsage: true, requestId: 'req_1' }),
    createdAtSeconds: 1,
    costOf: undefined,
  })
}

/** All that a relay gives for these pieces of a stream, its end included. */
export function relayAll(relay: StreamRelay, pieces: readonly Buffer[]): string {
  const parts = [...pieces.flatMap((piece) => relay.push(piece)), ...relay.end()]
  return Buffer.concat(parts.map((part) => Buffer.from(part))).toString()
}
