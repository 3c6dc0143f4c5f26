import { EVENT_STREAM_TYPE } from '../../kit/sse/event-stream-encoder.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import type { UpstreamHeaders } from '../../upstream/upstream.ts'
import { createEventStreamFrames } from '../../wire/converse/event-stream-frames.ts'
import type { Lane } from '../lane/lane.ts'
import { MAX_FRAME_BYTES, type StreamRelay } from '../relay/stream-relay.ts'
import { createErrorReader } from './error-answer-reader.ts'
import {
  type AnswerHead,
  type AnswerReader,
  type AnswerState,
  badResponse,
  emptyState,
  isCompressed,
  needMore,
  type ReadResult,
} from './read-result.ts'
import {
  createStreamAnswerReader,
  MAX_PRELUDE_BYTES,
  START_BYTES,
  STREAM_START,
} from './stream-answer-reader.ts'
import { createWholeAnswerReader, skipBlank } from './whole-answer-reader.ts'

/** Chooses the reader of an answer by its status and content type, and by its first bytes where these do not decide. */
export function createAnswerReader(lane: Lane, head: AnswerHead): AnswerReader {
  if (head.status < 200 || head.status >= 300) return createErrorReader(lane, head)
  if (head.relay !== undefined && isEventStream(head.headers)) return createStreamAnswerReader(head.relay)
  const contentType = String(head.headers['content-type'] ?? '').toLowerCase()
  if (isCompressed(head))
    return createFaultReader(
      'The model provider compressed its answer in an encoding that this gateway does not read, although it asked for none.',
    )
  if (lane.whole.type === 'binary' && isBinary(contentType))
    return createStreamAnswerReader(lane.whole.open(contentType))
  if (contentType.includes('html'))
    return createFaultReader('The model provider sent an HTML page instead of an answer.')
  if (!isAnswerType(contentType))
    return createFaultReader(
      'The model provider answered with a content type that is neither JSON, text nor an event stream.',
    )
  if (!head.isStream) return createWholeAnswerReader(lane, false)
  if (contentType.includes('json')) return new UnsureReader(lane)
  return createStreamAnswerReader(openRelay(lane, head, contentType))
}

/** Whether an answer is a stream of events, judged by the two content types that nearly every server sends. */
function isEventStream(headers: UpstreamHeaders): boolean {
  if (headers['content-encoding'] !== undefined) return false
  const type = headers['content-type']
  return type === 'text/event-stream' || type === 'text/event-stream; charset=utf-8'
}

/** The content types as nearly every server writes them. */
const COMMON_TYPES: ReadonlySet<string> = new Set([
  'application/json',
  'text/event-stream',
  'text/event-stream; charset=utf-8',
])

/**
 * Whether a content type, in lower case, may be the type of an answer. Servers omit the type, or send JSON and events
 * as plain text. Any other type is not an answer.
 */
function isAnswerType(contentType: string): boolean {
  if (COMMON_TYPES.has(contentType)) return true
  const type = contentType.split(';', 1)[0]?.trim() ?? ''
  return type === '' || type.startsWith('text/') || /json|event-?stream/.test(type)
}

/** Whether an answer is sound, or bytes of an unspecified type. */
function isBinary(contentType: string): boolean {
  return contentType.startsWith('audio/') || contentType.startsWith('application/octet-stream')
}

function openRelay(lane: Lane, { relay }: AnswerHead, contentType: string): StreamRelay {
  if (contentType.startsWith(EVENT_STREAM_TYPE))
    return lane.createStreamRelay(createEventStreamFrames(MAX_FRAME_BYTES))
  return relay ?? lane.createStreamRelay(createSseParser())
}

/**
 * Reads an answer whose type does not tell its form. Some servers send a stream with the type of JSON, others send JSON
 * where a stream was asked for, so the first bytes decide. White space before them keeps connections open, and is
 * dropped.
 */
class UnsureReader implements AnswerReader {
  readonly #lane: Lane
  #blankBytes = 0
  #start = Buffer.alloc(0)
  #reader: AnswerReader | undefined

  constructor(lane: Lane) {
    this.#lane = lane
  }

  get state(): AnswerState {
    return this.#reader?.state ?? { ...emptyState, heldBytes: this.#start.length }
  }

  push(chunk: Buffer): ReadResult {
    if (this.#reader !== undefined) return this.#reader.push(chunk)
    const content = this.#start.length > 0 ? chunk : skipBlank(chunk)
    this.#blankBytes += chunk.length - content.length
    if (this.#blankBytes > MAX_PRELUDE_BYTES) return badResponse('The model provider sent only white space.')
    this.#start = Buffer.concat([this.#start, content])
    return this.#start.length < START_BYTES ? needMore : this.#decide().push(this.#start)
  }

  end(): ReadResult {
    if (this.#reader !== undefined) return this.#reader.end()
    const reader = this.#decide()
    const result = reader.push(this.#start)
    return result.type === 'failure' ? result : reader.end()
  }

  #decide(): AnswerReader {
    const isStream = STREAM_START.test(this.#start.toString('latin1'))
    this.#reader = isStream
      ? createStreamAnswerReader(this.#lane.createStreamRelay(createSseParser()))
      : createWholeAnswerReader(this.#lane, true)
    return this.#reader
  }
}

function createFaultReader(message: string): AnswerReader {
  return {
    state: emptyState,
    push: () => badResponse(message),
    end: () => badResponse(message),
  }
}
