import type { StreamParts, StreamRelay } from '../relay/stream-relay.ts'
import { type AnswerReader, type AnswerState, badResponse, type ReadResult } from './read-result.ts'

/** The length from which a stream is a fault of the upstream. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024
/** The length from which the bytes before the first content are a fault of the upstream. */
export const MAX_PRELUDE_BYTES = 32 * 1024 * 1024

/** The number of first bytes that are enough to distinguish a stream from JSON. */
export const START_BYTES = 8

/** Reads an answer as a stream of events, or as bytes that are relayed as they arrive. */
export function createStreamAnswerReader(relay: StreamRelay): AnswerReader {
  return new StreamAnswerReader(relay)
}

class StreamAnswerReader implements AnswerReader {
  readonly state: AnswerState
  readonly #relay: StreamRelay
  /** The first bytes, read as Latin-1. */
  #start = ''
  #bytes = 0

  constructor(relay: StreamRelay) {
    this.state = relay
    this.#relay = relay
  }

  push(chunk: Buffer): ReadResult {
    if (this.#bytes < START_BYTES) this.#start += chunk.toString('latin1', 0, START_BYTES)
    this.#bytes += chunk.length
    const { hasContent, bounds } = this.#relay
    const maxBytes = hasContent
      ? (bounds?.streamBytes ?? MAX_STREAM_BYTES)
      : (bounds?.frameBytes ?? MAX_PRELUDE_BYTES)
    if (this.#bytes > maxBytes)
      return badResponse('The model provider sent a stream that is larger than this gateway accepts.')
    return this.#result(this.#relay.push(chunk))
  }

  end(): ReadResult {
    const result = this.#result(this.#relay.end())
    const isEmpty = result.type === 'failure' && result.failure.code === 'upstream_empty'
    return isEmpty && !this.#isEvents
      ? badResponse('The model provider announced an event stream and sent other data.')
      : result
  }

  /** Whether the first bytes look like events. A stream without any bytes passes. */
  get #isEvents(): boolean {
    return this.#bytes === 0 || STREAM_START.test(this.#start.replace(BYTE_ORDER_MARK, ''))
  }

  #result(parts: StreamParts): ReadResult {
    const { failure, isComplete } = this.#relay
    return failure === undefined ? { type: 'parts', parts, isComplete } : { type: 'failure', parts, failure }
  }
}

/** The beginning of an event stream, which JSON cannot have: the name of a field, or a comment. */
export const STREAM_START = /^\s*(?:data|event|id|retry)?:/
/** The byte order mark of UTF-8, read as Latin-1. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/
