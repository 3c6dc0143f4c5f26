import { errorRow } from '../../canonical/error-table.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { BodyIntake } from '../../kit/json/body-intake.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { DeadlineWatch, WatchEntry, Watched } from '../../pipeline/response/deadline-watch.ts'
import type { BodyHold, FullRoom } from './body-budget.ts'
import { BodyPace } from './body-pace.ts'
import type { BodyConsumer, UnbufferedRequest } from './unbuffered-request.ts'

/** `error` is undefined where there is a body. */
export type BodyListener = (error: unknown, body?: BodyBytes) => void

export interface ReadBodyInput {
  readonly maxBytes: number
  /** Where room is taken for it; undefined for bodies that are not counted. Whoever ends the request releases it. */
  readonly hold: BodyHold | undefined
  readonly clock: Clock
  readonly watch: DeadlineWatch
  /** Asks for the body, where the caller waits to be asked. */
  readonly ask: (() => void) | undefined
}

/** Takes a request's body in, chunk by chunk as it comes, up to a bound of bytes and of time. Calls back once. */
export function readBody(message: UnbufferedRequest, input: ReadBodyInput, done: BodyListener): void {
  const announced = Number(message.headers['content-length'] ?? 0)
  const fault = announced > input.maxBytes ? tooLarge(input.maxBytes) : takeRoom(input.hold, announced)
  if (fault === undefined) new BodyReader(message, input, done).start()
  else done(fault)
}

class BodyReader implements Watched, BodyConsumer {
  readonly #message: UnbufferedRequest
  readonly #parts: ReadBodyInput
  readonly #done: BodyListener
  readonly #intake = new BodyIntake()
  readonly #pace: BodyPace
  /** Room for all of it is taken. */
  readonly #isAnnounced: boolean
  #entry: WatchEntry | undefined

  constructor(message: UnbufferedRequest, input: ReadBodyInput, done: BodyListener) {
    this.#message = message
    this.#parts = input
    this.#done = done
    this.#isAnnounced = message.headers['content-length'] !== undefined
    this.#pace = new BodyPace(input.clock.monotonicMs())
  }

  start(): void {
    this.#entry = this.#parts.watch.add(this)
    this.#message.handTo(this)
    if (this.#entry !== undefined) this.#parts.ask?.()
  }

  look(nowMs: number): void {
    if (this.#entry === undefined || this.#pace.keepsUp(nowMs, this.#intake.length)) return
    this.#stop()
    this.#done(new GatewayError('request_timeout'))
  }

  onError(error: unknown): void {
    this.#stop()
    this.#done(error)
  }

  take(chunk: Buffer): void {
    const fault = this.#judge(chunk.length)
    if (fault === undefined) {
      this.#intake.push(chunk)
      return
    }
    this.#stop()
    this.#done(fault)
  }

  #judge(moreBytes: number): GatewayError | undefined {
    const { maxBytes, hold } = this.#parts
    if (this.#intake.length + moreBytes > maxBytes) return tooLarge(maxBytes)
    return this.#isAnnounced ? undefined : takeRoom(hold, moreBytes)
  }

  end(): void {
    this.#stop()
    this.#done(undefined, this.#intake.end())
  }

  fail(cause: Error): void {
    this.#stop()
    this.#done(new GatewayError('malformed_request', {}, { cause }))
  }

  #stop(): void {
    if (this.#entry !== undefined) this.#parts.watch.remove(this.#entry)
    this.#entry = undefined
    this.#message.handTo(undefined)
  }
}

function takeRoom(hold: BodyHold | undefined, bytes: number): GatewayError | undefined {
  const full = hold?.grow(bytes)
  return full === undefined
    ? undefined
    : new GatewayError('bodies_over_capacity', { message: fullWords[full] })
}

const fullWords: Readonly<Record<FullRoom, string>> = {
  all: errorRow('bodies_over_capacity').message,
  key: 'The requests of this API key that are under way hold as many bytes as one key may. Send the request again soon, or fewer large ones at once.',
}

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', {
    message: `The request body is larger than this gateway takes (${maxBytes} bytes).`,
  })
}
