import { GatewayError } from '../canonical/failure.ts'
import type { BodyBytes } from '../kit/body-bytes.ts'
import { BodyIntake } from '../kit/body-intake.ts'
import type { Clock } from '../kit/clock.ts'
import type { DeadlineWatch, WatchEntry, Watched } from '../pipeline/deadline-watch.ts'
import { BodyPace } from './body-pace.ts'
import type { BodyTaker, DirectMessage } from './direct-message.ts'

export type BodyListener = (error: Error | null, body?: BodyBytes) => void

export interface ReadBodyParts {
  readonly maxBytes: number
  readonly clock: Clock
  readonly watch: DeadlineWatch
  /** Asks for the body, where the caller waits to be asked. */
  readonly ask: (() => void) | undefined
}

/** Takes a request's body in, chunk by chunk as it comes, up to a bound of bytes and of time. Calls back once. */
export function readBody(message: DirectMessage, parts: ReadBodyParts, done: BodyListener): void {
  if (Number(message.headers['content-length'] ?? 0) > parts.maxBytes) {
    done(tooLarge(parts.maxBytes))
    return
  }
  new BodyReader(message, parts, done).start()
}

class BodyReader implements Watched, BodyTaker {
  readonly #message: DirectMessage
  readonly #parts: ReadBodyParts
  readonly #done: BodyListener
  readonly #intake = new BodyIntake()
  readonly #pace: BodyPace
  #entry: WatchEntry | undefined

  constructor(message: DirectMessage, parts: ReadBodyParts, done: BodyListener) {
    this.#message = message
    this.#parts = parts
    this.#done = done
    this.#pace = new BodyPace(parts.clock.monotonicMs())
  }

  start(): void {
    this.#entry = this.#parts.watch.add(this)
    this.#message.handTo(this)
    this.#parts.ask?.()
  }

  look(nowMs: number): void {
    if (this.#entry === undefined || this.#pace.keepsUp(nowMs, this.#intake.length)) return
    this.#stop()
    this.#done(new GatewayError('request_timeout'))
  }

  take(chunk: Buffer): void {
    if (this.#intake.length + chunk.length <= this.#parts.maxBytes) {
      this.#intake.push(chunk)
      return
    }
    this.#stop()
    this.#done(tooLarge(this.#parts.maxBytes))
  }

  end(): void {
    this.#stop()
    this.#done(null, this.#intake.end())
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

function tooLarge(maxBytes: number): GatewayError {
  return new GatewayError('request_too_large', {
    message: `The request body is larger than this gateway takes (${maxBytes} bytes).`,
  })
}
