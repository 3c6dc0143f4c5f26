import { IncomingMessage } from 'node:http'
import { errorRow } from '../../canonical/error-table.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { type BodyBytes, BodyScanner } from '../../kit/json/body-bytes.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { MINUTE_MS } from '../../kit/time/time-units.ts'
import type { DeadlineWatch, WatchEntry, Watched } from '../../pipeline/response/deadline-watch.ts'
import type { BodyHold, ExhaustedCapacity } from './body-budget.ts'

/** Receives the bytes of a body directly from the parser. */
export interface BodyConsumer {
  push(chunk: Buffer): void
  /** Called when the body is complete. */
  end(): void
  /** Called when the connection closes before the end of the body. */
  fail(reason: string): void
  /** Called with an error that the consumer threw for a chunk. The consumer gets no more chunks. */
  onError(error: unknown): void
}

/**
 * A request with a body that can go directly to its consumer. As a stream, each chunk would wait for two turns of a
 * queue and pass through an unnecessary buffer before its first byte could be read.
 */
export class UnbufferedRequest extends IncomingMessage {
  #consumer: BodyConsumer | undefined

  /**
   * Passes the bytes received so far, and all later ones, to the consumer. With undefined, the remaining bytes go to
   * the stream again.
   */
  handTo(consumer: BodyConsumer | undefined): void {
    this.#consumer = consumer
    if (consumer !== undefined && (this.complete || this.readableLength > 0)) this.#handEarlier(consumer)
  }

  /** Passes on the bytes that arrived while the request waited after others of its connection. */
  #handEarlier(consumer: BodyConsumer): void {
    const earlier: unknown = this.read()
    if (earlier instanceof Buffer) this.#hand(consumer, earlier)
    if (this.complete && this.#consumer === consumer) this.#hand(consumer)
  }

  /** Passes on a chunk, or the end. The parser calls this without a handler that would catch an error. */
  #hand(consumer: BodyConsumer, chunk?: Buffer): void {
    try {
      if (chunk === undefined) {
        this.#consumer = undefined
        consumer.end()
      } else {
        consumer.push(chunk)
      }
    } catch (error) {
      this.#consumer = undefined
      consumer.onError(error)
    }
  }

  override push(chunk: unknown, encoding?: BufferEncoding): boolean {
    const consumer = this.#consumer
    if (consumer === undefined) return super.push(chunk, encoding)
    if (chunk instanceof Buffer) {
      this.#hand(consumer, chunk)
      return true
    }
    this.#hand(consumer)
    // The request does not wait for the stream's own end events.
    setImmediate(() => super.push(chunk))
    return false
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const consumer = this.#consumer
    this.#consumer = undefined
    consumer?.fail(error?.message ?? 'the connection was closed')
    super._destroy(error, callback)
  }
}

type BodyEnd =
  | { readonly type: 'whole'; readonly body: BodyBytes }
  | { readonly type: 'failed'; readonly error: unknown }

export interface ReadBodyInput {
  readonly maxBytes: number
  /**
   * The hold that reserves room for the body; undefined for bodies that are not counted. It is released at the end of
   * the request.
   */
  readonly hold: BodyHold | undefined
  readonly clock: Clock
  readonly watch: DeadlineWatch
  /** Asks the caller for the body, if the caller waits for `100 Continue`. */
  readonly ask: (() => void) | undefined
}

/**
 * Receives a request's body as it arrives, up to a maximum size and time. Returns a promise only if a part of it has
 * not arrived yet. Throws or rejects with `GatewayError`.
 */
export function readBody(message: UnbufferedRequest, input: ReadBodyInput): BodyBytes | Promise<BodyBytes> {
  const announced = Number(message.headers['content-length'] ?? 0)
  const fault = announced > input.maxBytes ? tooLarge(input.maxBytes) : reserveCapacity(input.hold, announced)
  if (fault !== undefined) throw fault
  return new BodyReader(message, input).start()
}

class BodyReader implements Watched, BodyConsumer {
  readonly #message: UnbufferedRequest
  readonly #input: ReadBodyInput
  #end: BodyEnd | undefined
  #onEnd: ((end: BodyEnd) => void) | undefined
  readonly #scanner = new BodyScanner()
  readonly #pace: BodyPace
  /** Whether the length of the body was announced and is reserved completely. */
  readonly #isAnnounced: boolean
  #entry: WatchEntry | undefined

  constructor(message: UnbufferedRequest, input: ReadBodyInput) {
    this.#message = message
    this.#input = input
    this.#isAnnounced = message.headers['content-length'] !== undefined
    this.#pace = new BodyPace(input.clock.monotonicMs())
  }

  start(): BodyBytes | Promise<BodyBytes> {
    this.#entry = this.#input.watch.add(this)
    this.#message.handTo(this)
    const end = this.#end
    if (end?.type === 'whole') return end.body
    if (end?.type === 'failed') throw end.error
    this.#input.ask?.()
    return new Promise((resolve, reject) => {
      this.#onEnd = (late) => {
        if (late.type === 'whole') resolve(late.body)
        else reject(late.error)
      }
    })
  }

  look(nowMs: number): void {
    if (this.#entry === undefined || this.#pace.keepsUp(nowMs, this.#scanner.length)) return
    this.#fail(new GatewayError('request_timeout'))
  }

  onError(error: unknown): void {
    this.#fail(error)
  }

  push(chunk: Buffer): void {
    const fault = this.#judge(chunk.length)
    if (fault === undefined) {
      this.#scanner.push(chunk)
      return
    }
    this.#fail(fault)
  }

  #judge(moreBytes: number): GatewayError | undefined {
    const { maxBytes, hold } = this.#input
    if (this.#scanner.length + moreBytes > maxBytes) return tooLarge(maxBytes)
    return this.#isAnnounced ? undefined : reserveCapacity(hold, moreBytes)
  }

  end(): void {
    this.#finish({ type: 'whole', body: this.#scanner.end() })
  }

  fail(logCause: string): void {
    this.#fail(new GatewayError('malformed_request', { logCause }))
  }

  #fail(error: unknown): void {
    this.#finish({ type: 'failed', error })
  }

  #finish(end: BodyEnd): void {
    if (this.#entry !== undefined) this.#input.watch.remove(this.#entry)
    this.#entry = undefined
    this.#message.handTo(undefined)
    this.#end = end
    this.#onEnd?.(end)
  }
}

/** Reserves this many more bytes. Returns the error if they are not available. */
export function reserveCapacity(hold: BodyHold | undefined, bytes: number): GatewayError | undefined {
  const full = hold?.grow(bytes)
  return full === undefined
    ? undefined
    : new GatewayError('bodies_over_capacity', { message: fullWords[full] })
}

const fullWords: Readonly<Record<ExhaustedCapacity, string>> = {
  all: errorRow('bodies_over_capacity').message,
  key: 'The bodies of the requests in progress of this API key fill the memory that one key may use. Send the request again soon, or fewer large ones at once.',
}

/** The error for a body that is too large. `setting` names the limit, if it is not the general one. */
export function tooLarge(maxBytes: number, setting?: string): GatewayError {
  const limit = setting === undefined ? `${maxBytes} bytes` : `${maxBytes} bytes, the setting ${setting}`
  return new GatewayError('request_too_large', {
    message: `The request body is larger than this gateway accepts (${limit}).`,
  })
}

/** The time after which a body must have reached the minimum rate. */
const PACE_GRACE_MS = 10_000
/** Each window must reach the minimum rate, so that a fast start does not excuse a stalled body. */
const WINDOW_MS = MINUTE_MS
const MIN_BYTES_PER_MS = 1_024 / 1_000

/**
 * Checks how fast a body arrives. Slow links are allowed, but a caller must not hold memory by sending almost nothing.
 */
export class BodyPace {
  readonly #startedAtMs: number
  #windowStartMs: number
  #windowStartBytes = 0

  /** Times are those of `Clock.monotonicMs`. */
  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs
    this.#windowStartMs = startedAtMs
  }

  /** Whether a body of which this many bytes have arrived is fast enough. */
  keepsUp(nowMs: number, bytes: number): boolean {
    const sinceStartMs = nowMs - this.#startedAtMs
    if (sinceStartMs > PACE_GRACE_MS && bytes < sinceStartMs * MIN_BYTES_PER_MS) return false
    if (nowMs - this.#windowStartMs < WINDOW_MS) return true
    const keepsUp = bytes - this.#windowStartBytes >= (nowMs - this.#windowStartMs) * MIN_BYTES_PER_MS
    this.#windowStartMs = nowMs
    this.#windowStartBytes = bytes
    return keepsUp
  }
}
