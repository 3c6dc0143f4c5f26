import { createFailure, type Failure } from '../../canonical/failure.ts'
import { countsSomething, type Usage } from '../../canonical/usage.ts'
import { createRequestId } from '../../kit/random/ids.ts'
import type { RateLease } from '../../metering/rates/rate-limiter.ts'
import type { Candidate } from '../../routing/candidate.ts'
import type { Gateway } from '../gateway.ts'
import type { RealtimeRequest } from './realtime-port.ts'
import { estimateOutput, type InputBound } from './response-cost.ts'
import type { HeldResponse } from './session-charges.ts'
import { writeRealtimeRow } from './write-realtime-row.ts'

/** A response that the caller or the gateway requested. */
interface RequestedResponse {
  /** The ID of the event that requested it, as the provider knows it. */
  readonly eventId: string
  readonly held: HeldResponse
  /** Undefined where no rate limit applies. */
  readonly lease: RateLease | undefined
  readonly startedAtMs: number
}

interface ResponseTurn extends RequestedResponse {
  firstContentMs: number | undefined
  bytesOut: number
  /** The number of events with content. */
  pieces: number
}

export interface FinishedResponse {
  /** Undefined where the provider states no usage. */
  readonly usage: Usage | undefined
  /** Whether the response contains anything at its end. */
  readonly hasOutput: boolean
  readonly hasFailed: boolean
}

export interface TurnsOptions {
  readonly request: RealtimeRequest
  readonly candidate: Candidate
  readonly bound: InputBound
  readonly live: { readonly gateway: Gateway }
}

/** The requested responses and the responses in progress of a session, until each is settled with its actual cost. */
export class ResponseTurns {
  readonly #options: TurnsOptions
  /** The responses that the provider has not yet reported as begun, the oldest first. */
  readonly #pending: ResponseTurn[] = []
  readonly #active = new Map<string, ResponseTurn>()

  constructor(options: TurnsOptions) {
    this.#options = options
  }

  get size(): number {
    return this.#pending.length + this.#active.size
  }

  ask(requested: RequestedResponse): void {
    this.#pending.push({ ...requested, firstContentMs: undefined, bytesOut: 0, pieces: 0 })
  }

  /** Whether the provider has begun this response and not ended it. */
  has(responseId: string): boolean {
    return this.#active.has(responseId)
  }

  /** Returns false for a response that was not requested. */
  begin(responseId: string): boolean {
    const turn = this.#pending.shift()
    if (turn === undefined) return false
    this.#active.set(responseId, turn)
    return true
  }

  /** Counts an event of a response that is sent to the caller. */
  sawContent(responseId: string, bytes: number, isContent: boolean): void {
    const turn = this.#active.get(responseId)
    if (turn === undefined) return
    turn.bytesOut += bytes
    if (!isContent) return
    turn.pieces += 1
    turn.firstContentMs ??= this.#options.live.gateway.clock.monotonicMs() - turn.startedAtMs
  }

  /**
   * Settles a response with the usage that the provider reports. Returns false for a response that was not requested.
   */
  finish(responseId: string, { hasFailed, ...finished }: FinishedResponse): boolean {
    const turn = this.#active.get(responseId)
    if (turn === undefined) return false
    this.#active.delete(responseId)
    // Some servers do not count, and state zeros. A response that ended before its first content may have used nothing.
    const hasContent = turn.firstContentMs !== undefined || finished.hasOutput
    const usage = hasContent && !countsSomething(finished.usage) ? undefined : finished.usage
    const failure = hasFailed ? createFailure('upstream_error') : undefined
    const ending = usage === undefined && hasFailed ? 'failed' : 'whole'
    const spent = turn.held.charge.settle({ usage, servedTier: undefined, ending })
    countOutput(turn, usage)
    if (usage !== undefined) this.#options.bound.addResponse(usage)
    this.#record(turn, { usage, spent, failure, callerLeft: false })
    return true
  }

  /** Ends a response that the provider refused to begin. */
  refuse(eventId: string, failure: Failure): boolean {
    const at = this.#pending.findIndex((turn) => turn.eventId === eventId)
    const [turn] = at === -1 ? [] : this.#pending.splice(at, 1)
    if (turn === undefined) return false
    const spent = turn.held.charge.settle({ usage: undefined, servedTier: undefined, ending: 'failed' })
    this.#record(turn, { usage: undefined, spent, failure, callerLeft: false })
    return true
  }

  /** Records a response, or input for one, that the gateway refused. The provider was not asked for it. */
  recordRefusal(failure: Failure): void {
    const { live, request, candidate } = this.#options
    const { clock, observer } = live.gateway
    const ended = {
      requestId: createRequestId(clock.nowMs()),
      startedAtMs: clock.monotonicMs(),
      firstContentMs: undefined,
      bytesOut: 0,
      usage: undefined,
      spent: undefined,
      failure,
      callerLeft: false,
    }
    observer.requestEnded(writeRealtimeRow(ended, { request, candidate }, live.gateway))
  }

  /** Ends all remaining responses, since the session is over. Their cost is unknown. */
  endAll(cause: { readonly failure: Failure | undefined; readonly callerLeft: boolean }): void {
    const turns = [...this.#pending.splice(0), ...this.#active.values()]
    this.#active.clear()
    for (const turn of turns) {
      countOutput(turn, undefined)
      const ending = cause.callerLeft ? 'caller-gone' : 'cut'
      const spent = turn.held.charge.settle({ usage: undefined, servedTier: undefined, ending })
      this.#record(turn, { usage: undefined, spent, ...cause })
    }
  }

  #record(
    { held, startedAtMs, firstContentMs, bytesOut }: ResponseTurn,
    end: Pick<Parameters<typeof writeRealtimeRow>[0], 'usage' | 'spent' | 'failure' | 'callerLeft'>,
  ): void {
    const { live, request, candidate } = this.#options
    const ended = { requestId: held.requestId, startedAtMs, firstContentMs, bytesOut, ...end }
    live.gateway.observer.requestEnded(writeRealtimeRow(ended, { request, candidate }, live.gateway))
  }
}

/** Counts the output in its token limits. Output that the provider does not count is estimated from what was shown. */
function countOutput({ lease, held, pieces, bytesOut }: ResponseTurn, usage: Usage | undefined): void {
  const shown = Math.min(held.maxOutputTokens, estimateOutput(pieces, bytesOut))
  lease?.addOutput(usage?.outputTokens ?? shown)
}
