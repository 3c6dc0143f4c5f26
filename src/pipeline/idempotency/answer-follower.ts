import type { Failure } from '../../canonical/failure.ts'
import type { ExchangeOutcome } from '../exchange/exchange-outcome.ts'
import type { CallerConnection } from '../response/caller-connection.ts'
import type { ResponseWriter, WholeAnswer } from '../response/response-writer.ts'

type Headers = Readonly<Record<string, string>>

/** One request that waits for an answer. It has its own caller's connection. */
export interface WaitingCaller {
  readonly connection: CallerConnection
  readonly openWriter: (isStream: boolean) => ResponseWriter
  /** Called when the answer could not be written because of a fault of the gateway. */
  readonly onFault: (error: unknown) => void
}

/** The parts of a shared answer that are available. */
export interface SharedParts {
  /** The headers of a stream. */
  readonly headers: Headers
  readonly parts: readonly Buffer[]
  /** The number of parts that were dropped before the first of `parts`. */
  readonly dropped: number
  /** Whether the answer was stored, so that no waiting request makes it. */
  readonly isReplay: boolean
  readonly ending:
    | { readonly type: 'end' }
    | { readonly type: 'whole'; readonly answer: WholeAnswer }
    | { readonly type: 'failed'; readonly failure: Failure; readonly headers: Headers }
    | undefined
}

export interface AnswerFollowerOptions {
  readonly reader: WaitingCaller
  readonly shared: SharedParts
  /** Whether the request makes the call. */
  readonly isOwner: boolean
}

/** The progress of one caller in a shared answer. */
export class AnswerFollower {
  readonly #options: AnswerFollowerOptions
  readonly outcome: Promise<ExchangeOutcome>
  #resolve: (outcome: ExchangeOutcome) => void = () => undefined
  writer: ResponseWriter | undefined
  /** The index of the next part, counted from the beginning of the answer. */
  position = 0
  /** Whether the caller reads more slowly than the answer is written. */
  isBlocked = false
  isOver = false

  constructor(options: AnswerFollowerOptions) {
    this.#options = options
    const { promise, resolve } = Promise.withResolvers<ExchangeOutcome>()
    this.outcome = promise
    this.#resolve = resolve
  }

  open(isStream: boolean): void {
    this.writer ??= this.#options.reader.openWriter(isStream)
  }

  /** Writes the available parts, as far as the caller reads them. */
  pump(): void {
    try {
      this.#write()
    } catch (error) {
      this.fault(error)
    }
  }

  fail(failure: Failure, headers: Headers): void {
    if (this.isOver) return
    this.end({ type: 'failed', failure })
    this.writer?.fail(failure, headers)
  }

  end(outcome: ExchangeOutcome): void {
    this.isOver = true
    this.isBlocked = false
    this.writer?.close()
    this.#resolve(outcome)
  }

  fault(error: unknown): void {
    this.#options.reader.onFault(error)
  }

  #write(): void {
    const { writer } = this
    const { shared } = this.#options
    if (writer === undefined || this.isOver) return
    const headers = this.#headersFor(shared.headers)
    while (!this.isBlocked) {
      const part = shared.parts[this.position - shared.dropped]
      if (part === undefined) break
      this.position += 1
      if (!writer.writeStream(part, headers)) this.isBlocked = true
    }
    if (!this.isBlocked && shared.ending !== undefined) this.#writeEnd(writer, shared.ending)
  }

  #writeEnd(writer: ResponseWriter, ending: SharedParts['ending'] & object): void {
    switch (ending.type) {
      case 'end':
        this.end({ type: 'answered' })
        writer.endStream()
        break
      case 'whole':
        this.end({ type: 'answered' })
        writer.sendWhole({ ...ending.answer, headers: this.#headersFor(ending.answer.headers) })
        break
      case 'failed':
        this.fail(ending.failure, ending.headers)
    }
  }

  /** The headers of the answer for one caller. An answer that another request has made costs nothing. */
  #headersFor(headers: Headers): Headers {
    const { isOwner, shared } = this.#options
    if (isOwner && !shared.isReplay) return headers
    const cost = headers['x-headgate-cost'] === undefined ? {} : { 'x-headgate-cost': '0' }
    return { ...headers, ...cost, 'x-headgate-idempotent-replay': 'true' }
  }
}
