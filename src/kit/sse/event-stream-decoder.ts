import { crc32 } from 'node:zlib'

/** One message of `application/vnd.amazon.eventstream`. Its checksums are verified. */
export class EventStreamMessage {
  readonly #headers: Buffer
  readonly payload: Buffer

  constructor(headers: Buffer, payload: Buffer) {
    this.#headers = headers
    this.payload = payload
  }

  /** The text of the header with this name. Every header that identifies a message is a text. */
  header(name: string): string | undefined {
    for (let at = 0; at < this.#headers.length; ) {
      const found = readHeader(this.#headers, at)
      if (found === undefined) return undefined
      if (found.isText && this.#headers.toString('utf8', found.nameStart, found.nameEnd) === name)
        return this.#headers.toString('utf8', found.valueStart, found.valueEnd)
      at = found.valueEnd
    }
    return undefined
  }
}

export interface EventStreamDecoder {
  /** The messages that this chunk completes. Never throws. After a fault it returns no messages. */
  push(chunk: Buffer): readonly EventStreamMessage[]
  /** The bytes that are buffered because their message is not complete. */
  readonly pendingBytes: number
  /**
   * The reason why the bytes cannot be trusted. After a fault, the start of the next message is unknown permanently.
   */
  readonly fault: EventStreamFault | undefined
}

export type EventStreamFault = 'prelude-checksum' | 'length' | 'message-checksum' | 'headers'

/** The length of the message, the length of its headers, and the checksum of these two, 4 bytes each. */
const PRELUDE_BYTES = 12
const CHECKSUM_BYTES = 4
/** The encoding's own bounds (smithy.io/2.0/aws/amazon-eventstream.html, seen 2026-11-20). */
const MAX_HEADER_BYTES = 128 * 1024
const noMessages: readonly EventStreamMessage[] = []

/**
 * Splits a byte stream into messages, however it is chunked. A length is trusted only after its checksum, so no
 * memory is held for a message that was not sent. A length above `maxMessageBytes` is a fault.
 */
export function createEventStreamDecoder(maxMessageBytes: number): EventStreamDecoder {
  return new MessageCutter(maxMessageBytes)
}

class MessageCutter implements EventStreamDecoder {
  fault: EventStreamFault | undefined
  readonly #maxMessageBytes: number
  #held: Buffer[] = []
  pendingBytes = 0
  /** The bytes that the next step needs: first the prelude, then the whole message. */
  #wantedBytes = PRELUDE_BYTES

  constructor(maxMessageBytes: number) {
    this.#maxMessageBytes = maxMessageBytes
  }

  push(chunk: Buffer): readonly EventStreamMessage[] {
    if (this.fault !== undefined || chunk.length === 0) return noMessages
    this.#held.push(chunk)
    this.pendingBytes += chunk.length
    if (this.pendingBytes < this.#wantedBytes) return noMessages
    let bytes = this.#held.length === 1 ? chunk : Buffer.concat(this.#held, this.pendingBytes)
    const messages: EventStreamMessage[] = []
    while (bytes.length >= this.#wantedBytes) {
      const length = this.#readLength(bytes)
      if (length === undefined) return this.#stop(messages)
      this.#wantedBytes = length
      if (bytes.length < length) break
      const message = this.#readMessage(bytes.subarray(0, length))
      if (message === undefined) return this.#stop(messages)
      messages.push(message)
      bytes = bytes.subarray(length)
      this.#wantedBytes = PRELUDE_BYTES
    }
    this.#held = bytes.length === 0 ? [] : [bytes]
    this.pendingBytes = bytes.length
    return messages
  }

  #stop(messages: readonly EventStreamMessage[]): readonly EventStreamMessage[] {
    this.#held = []
    this.pendingBytes = 0
    return messages
  }

  #readLength(bytes: Buffer): number | undefined {
    const total = bytes.readUInt32BE(0)
    const headers = bytes.readUInt32BE(4)
    if (crc32(bytes.subarray(0, 8)) !== bytes.readUInt32BE(8)) this.fault = 'prelude-checksum'
    else if (total > this.#maxMessageBytes || headers > MAX_HEADER_BYTES) this.fault = 'length'
    else if (total < PRELUDE_BYTES + headers + CHECKSUM_BYTES) this.fault = 'length'
    return this.fault === undefined ? total : undefined
  }

  #readMessage(bytes: Buffer): EventStreamMessage | undefined {
    const end = bytes.length - CHECKSUM_BYTES
    if (crc32(bytes.subarray(0, end)) !== bytes.readUInt32BE(end)) {
      this.fault = 'message-checksum'
      return undefined
    }
    const payloadStart = PRELUDE_BYTES + bytes.readUInt32BE(4)
    const headers = bytes.subarray(PRELUDE_BYTES, payloadStart)
    if (areWhole(headers)) return new EventStreamMessage(headers, bytes.subarray(payloadStart, end))
    this.fault = 'headers'
    return undefined
  }
}

interface HeaderSpan {
  readonly isText: boolean
  readonly nameStart: number
  readonly nameEnd: number
  readonly valueStart: number
  readonly valueEnd: number
}

const TEXT = 7
const BYTES = 6
/**
 * The bytes of a value by its type, where the size is fixed: true, false, byte, short, int, long, …, timestamp, uuid.
 */
const fixedBytes: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]

/** Reads the header at this offset. Undefined where the header runs past the end or has an unknown type. */
function readHeader(headers: Buffer, at: number): HeaderSpan | undefined {
  const nameStart = at + 1
  const nameEnd = nameStart + (headers[at] ?? 0)
  const type = headers[nameEnd]
  if (type === undefined) return undefined
  const isLong = type === TEXT || type === BYTES
  const valueStart = nameEnd + (isLong ? 3 : 1)
  if (valueStart > headers.length) return undefined
  const length = isLong ? headers.readUInt16BE(nameEnd + 1) : fixedBytes[type]
  if (length === undefined || valueStart + length > headers.length) return undefined
  return { isText: type === TEXT, nameStart, nameEnd, valueStart, valueEnd: valueStart + length }
}

function areWhole(headers: Buffer): boolean {
  let at = 0
  while (at < headers.length) {
    const header = readHeader(headers, at)
    if (header === undefined) return false
    at = header.valueEnd
  }
  return true
}
