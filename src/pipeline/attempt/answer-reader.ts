import { createFailure, type Failure, isFailure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import { runToEnd, type Steps } from '../../kit/async/steps.ts'
import { EVENT_STREAM_TYPE } from '../../kit/sse/event-stream-encoder.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import type { UpstreamHeaders } from '../../upstream/upstream.ts'
import { createEventStreamFrames } from '../../wire/converse/event-stream-frames.ts'
import type { Lane, WholeReply } from '../lane/lane.ts'
import { MAX_FRAME_BYTES, noParts, type StreamParts, type StreamRelay } from '../relay/stream-relay.ts'
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

/** The size from which a whole answer is read in several turns of the event loop. */
export const LARGE_ANSWER_BYTES = 256 * 1024

export function createAnswerReader(lane: Lane, head: AnswerHead): AnswerReader {
  if (head.status < 200 || head.status >= 300) return createErrorReader(lane, head)
  if (head.relay !== undefined && isEventStream(head.headers)) return new StreamAnswerReader(head.relay)
  const contentType = String(head.headers['content-type'] ?? '').toLowerCase()
  if (isCompressed(head))
    return createFaultReader(
      'The model provider compressed its answer in an encoding that this gateway does not read, although it asked for none.',
    )
  if (lane.whole.type === 'binary' && isBinary(contentType))
    return new StreamAnswerReader(lane.whole.open(contentType))
  if (contentType.includes('html'))
    return createFaultReader('The model provider sent an HTML page instead of an answer.')
  if (!isAnswerType(contentType))
    return createFaultReader(
      'The model provider answered with a content type that is neither JSON, text nor an event stream.',
    )
  if (!head.isStream) return new WholeReader(lane, false)
  if (contentType.includes('json')) return new UnsureReader(lane)
  return new StreamAnswerReader(openRelay(lane, head, contentType))
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

/** The length from which a stream is a fault of the upstream, and the same for the bytes before its first content. */
const MAX_STREAM_BYTES = 256 * 1024 * 1024
const MAX_PRELUDE_BYTES = 32 * 1024 * 1024

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
    if (this.#bytes < TELLING_BYTES) this.#start += chunk.toString('latin1', 0, TELLING_BYTES)
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
const STREAM_START = /^\s*(?:data|event|id|retry)?:/
/** The byte order mark of UTF-8, read as Latin-1. */
const BYTE_ORDER_MARK = /^\xef\xbb\xbf/
/** The number of bytes that are enough to distinguish a stream from JSON. */
const TELLING_BYTES = 8

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
    const said = this.#start.length > 0 ? chunk : skipBlank(chunk)
    this.#blankBytes += chunk.length - said.length
    if (this.#blankBytes > MAX_PRELUDE_BYTES) return badResponse('The model provider sent only white space.')
    this.#start = Buffer.concat([this.#start, said])
    return this.#start.length < TELLING_BYTES ? needMore : this.#decide().push(this.#start)
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
      ? new StreamAnswerReader(this.#lane.createStreamRelay(createSseParser()))
      : new WholeReader(this.#lane, true)
    return this.#reader
  }
}

/** The white space of JSON. Empty lines of a stream consist of the same bytes. */
const blanks: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

function skipBlank(chunk: Buffer): Buffer {
  let at = 0
  while (at < chunk.length && blanks.has(chunk[at] ?? 0)) at += 1
  return chunk.subarray(at)
}

class WholeReader implements AnswerReader, AnswerState {
  readonly state = this
  readonly hasContent = false
  readonly progress = 0
  shownCharacters = 0
  usage: Usage | undefined
  servedTier: ServedTier | undefined
  losses: readonly Loss[] = []
  contentType: string | undefined
  readonly #lane: Lane
  readonly #replaysAsStream: boolean
  readonly #chunks: Buffer[] = []
  heldBytes = 0

  /** `replaysAsStream` is true where the caller waits for a stream, though the upstream sent a whole answer. */
  constructor(lane: Lane, replaysAsStream: boolean) {
    this.#lane = lane
    this.#replaysAsStream = replaysAsStream
  }

  push(chunk: Buffer): ReadResult {
    this.#chunks.push(chunk)
    this.heldBytes += chunk.length
    const { maxBytes, refuse } = this.#lane.answerBound
    return this.heldBytes <= maxBytes ? needMore : { type: 'failure', parts: noParts, failure: refuse() }
  }

  end(): ReadResult {
    const body = withoutMark(joinChunks(this.#chunks))
    if (skipBlank(body).length === 0 && this.#lane.whole.type !== 'text')
      return { type: 'failure', parts: noParts, failure: createFailure('upstream_empty') }
    const steps = this.#lane.readWhole(body, this.#replaysAsStream)
    if (body.length >= LARGE_ANSWER_BYTES) return { type: 'steps', steps: this.#finish(steps) }
    return this.#readReply(runToEnd(steps))
  }

  *#finish(steps: Steps<WholeReply | Failure>): Steps<ReadResult> {
    return this.#readReply(yield* steps)
  }

  #readReply(reply: WholeReply | Failure): ReadResult {
    if (isFailure(reply)) return { type: 'failure', parts: noParts, failure: reply }
    this.usage = reply.usage
    this.servedTier = reply.servedTier
    this.losses = reply.losses
    this.contentType = reply.contentType
    this.shownCharacters = reply.shownCharacters ?? 0
    return { type: 'whole', body: reply.body, replaysAsStream: this.#replaysAsStream }
  }
}

function joinChunks(chunks: readonly Buffer[]): Buffer {
  const [first] = chunks
  return first !== undefined && chunks.length === 1 ? first : Buffer.concat(chunks)
}

/** Removes a byte order mark before JSON, since a parser refuses it. */
function withoutMark(body: Buffer): Buffer {
  return body[0] === 0xef && body[1] === 0xbb && body[2] === 0xbf ? body.subarray(3) : body
}

function createFaultReader(message: string): AnswerReader {
  return {
    state: emptyState,
    push: () => badResponse(message),
    end: () => badResponse(message),
  }
}
