import { crc32 } from 'node:zlib'
import type { SseFrame } from './sse-parser.ts'

/** The content type of the frames that `encodeEventStreamFrame` writes. */
export const EVENT_STREAM_TYPE = 'application/vnd.amazon.eventstream'

/** The prefix before an exception's name in the name of a server-sent event. */
export const EXCEPTION_EVENT = 'exception/'

const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
/** The type of a header whose value is a text. */
const TEXT_HEADER = 7

/**
 * Encodes a named server-sent event as a message of AWS's encoding (smithy.io/2.0/aws/amazon-eventstream.html, seen
 * 2026-11-20). The data is JSON.
 */
export function encodeEventStreamFrame({ event = '', data = '' }: Pick<SseFrame, 'event' | 'data'>): Buffer {
  const isException = event.startsWith(EXCEPTION_EVENT)
  const headers = Buffer.concat(
    isException
      ? [
          encodeHeader(':exception-type', event.slice(EXCEPTION_EVENT.length)),
          encodeHeader(':content-type', 'application/json'),
          encodeHeader(':message-type', 'exception'),
        ]
      : [
          encodeHeader(':event-type', event),
          encodeHeader(':content-type', 'application/json'),
          encodeHeader(':message-type', 'event'),
        ],
  )
  const payload = Buffer.from(data, 'utf8')
  const length = PRELUDE_BYTES + headers.length + payload.length + CHECKSUM_BYTES
  const message = Buffer.allocUnsafe(length)
  message.writeUInt32BE(length, 0)
  message.writeUInt32BE(headers.length, 4)
  message.writeUInt32BE(crc32(message.subarray(0, 8)), 8)
  headers.copy(message, PRELUDE_BYTES)
  payload.copy(message, PRELUDE_BYTES + headers.length)
  message.writeUInt32BE(crc32(message.subarray(0, length - CHECKSUM_BYTES)), length - CHECKSUM_BYTES)
  return message
}

function encodeHeader(name: string, value: string): Buffer {
  const nameBytes = Buffer.from(name, 'utf8')
  const valueBytes = Buffer.from(value, 'utf8')
  const header = Buffer.allocUnsafe(1 + nameBytes.length + 3 + valueBytes.length)
  header.writeUInt8(nameBytes.length, 0)
  nameBytes.copy(header, 1)
  header.writeUInt8(TEXT_HEADER, 1 + nameBytes.length)
  header.writeUInt16BE(valueBytes.length, 2 + nameBytes.length)
  valueBytes.copy(header, 4 + nameBytes.length)
  return header
}
