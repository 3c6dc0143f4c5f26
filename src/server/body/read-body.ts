import { errorRow } from '../../canonical/error-table.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import { BodyIntake } from '../../kit/json/body-intake.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { DeadlineWatch, WatchEntry, Watched } from '../../pipeline/response/deadline-watch.ts'
import type { BodyHold, FullRoom } from './body-budget.ts'
import { BodyPace } from './body-pace.ts'
import type { BodyConsumer, UnbufferedRequest } from './unbuffered-request.ts'

type BodyEnd =
  | { readonly type: 'whole'; readonly body: BodyBytes }
  | { readonly type: 'failed'; readonly error: unknown }

export interface ReadBodyInput {
  readonly maxBytes: number
  /** Where room is taken for it; undefined for bodies that are not counted. The end of the request releases it. */
  readonly hold: BodyHold | undefined
  readonly clock: Clock
  readonly watch: DeadlineWatch
  /** Asks for the body, where the caller waits to be asked. */
  readonly ask: (() => void) | undefined
}

/**
 * Takes a request's body in, chunk by chunk as it comes, up to a bound of bytes and of time. A promise
 * only where some of it is still to come. Throws or rejects with `GatewayError`.
 */
export function readBody(message: UnbufferedRequest, input: ReadBodyInput): BodyBytes | Promise<BodyBytes> {
  const announced = Number(message.headers['content-length'] ?? 0)
  const fault = announced > input.maxBytes ? tooLarge(input.maxBytes) : takeRoom(input.hold, announced)
  if (fault !== undefined) throw fault
  return new BodyReader(message, input).start()
}

class BodyReader implements Watched, BodyConsumer {
  readonly #message: UnbufferedRequest
  readonly #input: ReadBodyInput
  #end: BodyEnd | undefined
  #onEnd: ((end: BodyEnd) => void) | undefined
  readonly #intake = new BodyIntake()
  readonly #pace: BodyPace
  /** Room for all of it is taken. */
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
    if (this.#entry === undefined || this.#pace.keepsUp(nowMs, this.#intake.length)) return
    this.#fail(new GatewayError('request_timeout'))
  }

  onError(error: unknown): void {
    this.#fail(error)
  }

  take(chunk: Buffer): void {
    const fault = this.#judge(chunk.length)
    if (fault === undefined) {
      this.#intake.push(chunk)
      return
    }
    this.#fail(fault)
  }

  #judge(moreBytes: number): GatewayError | undefined {
    const { maxBytes, hold } = this.#input
    if (this.#intake.length + moreBytes > maxBytes) return tooLarge(maxBytes)
    return this.#isAnnounced ? undefined : takeRoom(hold, moreBytes)
  }

  end(): void {
    this.#settle({ type: 'whole', body: this.#intake.end() })
  }

  fail(cause: Error): void {
    this.#fail(new GatewayError('malformed_request', {}, { cause }))
  }

  #fail(error: unknown): void {
    this.#settle({ type: 'failed', error })
  }

  #settle(end: BodyEnd): void {
    if (this.#entry !== undefined) this.#input.watch.remove(this.#entry)
    this.#entry = undefined
    this.#message.handTo(undefined)
    this.#end = end
    this.#onEnd?.(end)
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
