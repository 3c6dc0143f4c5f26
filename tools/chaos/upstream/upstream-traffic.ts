import type { RequestHead } from '../script/fault-call.ts'

/** A request that reached the upstream. Times are milliseconds since the opening. */
export interface SeenRequest extends RequestHead {
  /** The request's number, from 1. */
  readonly number: number
  /** The connection that it came on, from 1. */
  readonly connection: number
  /** The time at which its head arrived. */
  readonly atMs: number
  readonly model: string | undefined
  readonly credential: string | undefined
  /** Empty if the answer did not wait for it. */
  readonly body: Buffer
  /** The index of the rule that matched; undefined if the answer is a good one. */
  readonly rule: number | undefined
  /** The bytes of the answer, its head included. */
  readonly bytesSent: number
  /** `aborted`: the caller disconnected before the answer was complete. */
  readonly outcome: 'open' | 'answered' | 'cut' | 'aborted'
  readonly endedAtMs: number | undefined
  /** Fulfilled when the answer has ended, for whatever reason. */
  readonly ended: Promise<void>
}

/** Connections and bytes of a fault upstream or a fault proxy. */
export interface TrafficCount {
  readonly connectionsOpened: number
  readonly connectionsOpen: number
  readonly bytesReceived: number
  readonly bytesSent: number
}

/** The record of a request in progress. */
export class RequestRecord implements SeenRequest {
  readonly number: number
  readonly connection: number
  readonly atMs: number
  readonly method: string
  readonly path: string
  readonly headers: ReadonlyMap<string, string>
  readonly ended: Promise<void>
  model: string | undefined = undefined
  credential: string | undefined = undefined
  body: Buffer = Buffer.alloc(0)
  rule: number | undefined = undefined
  bytesSent = 0
  /** The number of this request among those with the same credential, from 1. */
  credentialAttempt = 1
  /** Whether the answer has begun. */
  isAnswered = false
  outcome: SeenRequest['outcome'] = 'open'
  endedAtMs: number | undefined = undefined
  readonly #resolve: () => void

  constructor(
    head: RequestHead,
    origin: { readonly number: number; readonly connection: number; readonly atMs: number },
  ) {
    this.number = origin.number
    this.connection = origin.connection
    this.atMs = origin.atMs
    this.method = head.method
    this.path = head.path
    this.headers = head.headers
    const { promise, resolve } = Promise.withResolvers<void>()
    this.ended = promise
    this.#resolve = resolve
  }

  end(outcome: Exclude<SeenRequest['outcome'], 'open'>, atMs: number): void {
    if (this.outcome !== 'open') return
    this.outcome = outcome
    this.endedAtMs = atMs
    this.#resolve()
  }
}
