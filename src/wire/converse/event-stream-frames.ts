import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import { isJsonObject } from '../../kit/json/json.ts'
import { tryParseJson } from '../../kit/json/try-parse-json.ts'
import {
  createEventStreamDecoder,
  type EventStreamFault,
  type EventStreamMessage,
} from '../../kit/sse/event-stream-decoder.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import { refuseJson } from '../answer-bounds.ts'
import type { FrameParser } from '../frame-parser.ts'
import { createExceptionFailure } from './errors/create-exception-failure.ts'

/**
 * Parses the messages of an AWS event stream into frames. The type of an event becomes the frame's `event`. The `bytes`
 * of a `chunk` are a frame of the model maker's own stream, and are emitted as that frame. An exception becomes the
 * failure of the stream.
 */
export function createEventStreamFrames(maxFrameBytes: number): FrameParser {
  return new EventStreamFrames(maxFrameBytes)
}

class EventStreamFrames implements FrameParser {
  failure: Failure | undefined
  readonly #decoder

  constructor(maxFrameBytes: number) {
    this.#decoder = createEventStreamDecoder(maxFrameBytes)
  }

  get pendingBytes(): number {
    return this.#decoder.pendingBytes
  }

  push(chunk: Buffer): readonly SseFrame[] {
    if (this.failure !== undefined) return []
    const frames: SseFrame[] = []
    for (const message of this.#decoder.push(chunk)) {
      const read = readMessage(message)
      if (isFailure(read)) {
        this.failure = read
        return frames
      }
      frames.push(read)
    }
    const { fault } = this.#decoder
    if (fault !== undefined) this.failure = createFailure('upstream_bad_response', { message: words[fault] })
    return frames
  }

  /** Drops an incomplete message at the end, since it has no meaning. */
  end(): undefined {
    return undefined
  }
}

const words: Readonly<Record<EventStreamFault, string>> = {
  'prelude-checksum': 'The model provider sent an event whose length does not match its checksum.',
  'message-checksum': 'The model provider sent an event that does not match its checksum.',
  length:
    'The model provider sent one event that is larger than this gateway accepts, or smaller than any can be.',
  headers: 'The model provider sent an event whose headers cannot be read.',
}

function readMessage(message: EventStreamMessage): SseFrame | Failure {
  const type = message.header(':event-type')
  const kind = message.header(':message-type')
  if (kind === 'exception' || kind === 'error') return readException(message)
  const text = message.payload.toString('utf8')
  return type === 'chunk' ? readChunk(text) : createFrame(type, text)
}

/** The message of an exception is in its payload. The message of an error that no model caused is in its headers. */
function readException(message: EventStreamMessage): Failure {
  const name = message.header(':exception-type') ?? message.header(':error-code') ?? ''
  const words = message.payload.toString('utf8')
  const payload = refuseJson(words) === undefined ? tryParseJson(words) : undefined
  const said = isJsonObject(payload) ? payload : {}
  const text = message.header(':error-message')
  return createExceptionFailure({ name, body: text === undefined ? said : { message: text, ...said } })
}

/** The event name at the start of the data, where most model makers put it. */
const LEADING_TYPE = /^\s*\{\s*"type"\s*:\s*"(\w+)"/

function readChunk(text: string): SseFrame | Failure {
  const refusal = refuseJson(text)
  if (refusal !== undefined) return refusal
  const chunk = tryParseJson(text)
  const encoded = isJsonObject(chunk) ? chunk['bytes'] : undefined
  if (typeof encoded !== 'string') {
    const message = 'The model provider sent a chunk without bytes.'
    return createFailure('upstream_bad_response', { message })
  }
  const data = Buffer.from(encoded, 'base64').toString('utf8')
  return refuseJson(data) ?? createFrame(LEADING_TYPE.exec(data)?.[1] ?? readType(data), data)
}

function readType(data: string): string | undefined {
  const value = tryParseJson(data)
  const type = isJsonObject(value) ? value['type'] : undefined
  return typeof type === 'string' && /^\w+$/.test(type) ? type : undefined
}

/** Builds a frame. Its `bytes` are the same that a caller of the maker's own service would get. */
function createFrame(event: string | undefined, text: string): SseFrame {
  const data = /[\r\n]/.test(text) ? onOneLine(text) : text
  const name = event === undefined ? '' : `event: ${event}\n`
  return { event, data, bytes: Buffer.from(`${name}data: ${data}\n\n`, 'utf8') }
}

/** Replaces line breaks by spaces. In JSON, line breaks are only between tokens, where they mean nothing. */
function onOneLine(text: string): string {
  return text.replaceAll(/[\r\n]+/g, ' ')
}
