import type { ShutReason } from './assess-health-impact.ts'

/** A probe that nobody spoke of again after this long is taken for lost, and another may be sent. */
const PROBE_LEASE_MS = 5 * 60_000
/** What was well for so long begins anew with short waits. */
const FORGIVEN_AFTER_MS = 60_000

export type GateState = 'open' | 'shut' | 'due' | 'probing'

export interface Trip {
  readonly reason: ShutReason
  readonly nowMs: number
  readonly untilMs: number
  /** Whether one request must prove it well before all come back. */
  readonly needsProbe: boolean
  /** Whether it still serves some: to be asked when nothing else is left. */
  readonly isDegraded: boolean
}

/** Whether one channel, credential or model may be asked. Times are of the clock that never goes back. */
export class CircuitBreaker {
  reason: ShutReason | undefined = undefined
  /** When it was last shut or opened. */
  sinceMs = 0
  untilMs = 0
  needsProbe = false
  isDegraded = false
  /** How often it was shut without having been well for a while between. */
  trips = 0
  #probedAtMs: number | undefined = undefined

  look(nowMs: number): GateState {
    if (this.reason === undefined) return 'open'
    if (nowMs < this.untilMs) return 'shut'
    if (!this.needsProbe) return 'open'
    return this.#probedAtMs === undefined || nowMs - this.#probedAtMs > PROBE_LEASE_MS ? 'due' : 'probing'
  }

  /** The wait would be the so-manieth in a row. */
  nextTrip(nowMs: number): number {
    const wasWell = this.reason === undefined || (!this.needsProbe && nowMs >= this.untilMs)
    const openedAtMs = this.reason === undefined ? this.sinceMs : this.untilMs
    return wasWell && nowMs - openedAtMs > FORGIVEN_AFTER_MS ? 1 : this.trips + 1
  }

  shut({ reason, nowMs, untilMs, needsProbe, isDegraded }: Trip): void {
    this.trips = this.nextTrip(nowMs)
    this.reason = reason
    this.sinceMs = nowMs
    this.untilMs = untilMs
    this.needsProbe = needsProbe
    this.isDegraded = isDegraded
    this.#probedAtMs = undefined
  }

  takeProbe(nowMs: number): void {
    this.#probedAtMs = nowMs
  }

  /** The probe ended and proved nothing; a call that began before it does not speak for it. */
  releaseProbe(startedAtMs: number): void {
    if (this.#probedAtMs !== undefined && startedAtMs >= this.#probedAtMs) this.#probedAtMs = undefined
  }

  /** One request may try before the wait is over; where one tried lately and failed, the wait stands. */
  allowEarlyProbe(nowMs: number): boolean {
    if (this.trips > 1 || this.look(nowMs) !== 'shut') return false
    this.untilMs = nowMs
    this.needsProbe = true
    return true
  }

  open(nowMs: number): void {
    this.reason = undefined
    this.sinceMs = nowMs
    this.#probedAtMs = undefined
  }
}
