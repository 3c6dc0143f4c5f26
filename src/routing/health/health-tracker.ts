import type { Failure } from '../../canonical/failure.ts'
import type { Random } from '../../kit/random/random.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Candidate } from '../candidate.ts'
import type { SlidingCounts } from '../sliding-counts.ts'
import {
  assessHealthImpact,
  type HealthImpact,
  type HealthScope,
  needsOperator,
  type TripReason,
} from './assess-health-impact.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { HealthChange, HealthLine } from './health-report.ts'
import { blockingState, blocksRequests, closed, type HealthState, halfOpenDue } from './health-state.ts'
import type { HealthSnapshot } from './health-store.ts'
import { allCircuits, circuitsOf, HealthTable } from './health-table.ts'
import { listHealth, operationsOf } from './list-health.ts'
import { provesByList } from './plan-check.ts'
import { planTrip } from './plan-trip.ts'
import {
  adoptBreakers,
  type BreakerName,
  closeBreaker,
  createSnapshot,
  mergeBreakers,
  restoreHealth,
} from './snapshot-health.ts'

/** The span in which an attempt was in progress, in monotonic time. */
export interface AttemptSpan {
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** A successful check. A list of models is no evidence about the candidate's model. */
export type PassedCheck =
  | { readonly type: 'list'; readonly candidate: Candidate; readonly listNeedsKey: boolean }
  | { readonly type: 'one-token'; readonly candidate: Candidate }

export interface HealthTrackerOptions {
  readonly random: Random
  /** Called at once for every change. It must not throw. */
  readonly onChange?: (change: HealthChange) => void
  /** All candidates of the current catalog, for a report before any request has considered them. */
  readonly candidates?: () => readonly Candidate[]
}

/**
 * The health of every channel, credential and model, which decides whether they are in rotation. It learns from traffic
 * and from checks. Reading the state of a healthy candidate takes three map look-ups and allocates nothing.
 */
export class HealthTracker {
  readonly #records = new HealthTable()
  readonly #options: HealthTrackerOptions
  #restored: ReturnType<typeof restoreHealth> | undefined
  /** False while every breaker is closed. No candidate is looked up then. */
  #mayBeUnhealthy = false

  constructor(options: HealthTrackerOptions) {
    this.#options = options
  }

  stateOf(candidate: Candidate, monotonicMs: number): HealthState {
    if (!this.#mayBeUnhealthy) return closed
    this.#restored?.apply(candidate, this.#records)
    const channel = this.#records.findChannel(candidate)
    if (channel === undefined) return closed
    const credential = this.#records.findCredential(channel, candidate)
    const known = credential?.models.get(candidate.target.upstreamModel)
    const model = known?.circuit.concerns(candidate.operation) === true ? known : undefined
    // The three levels are spelled out, since this runs for every candidate of every request.
    const ofChannel = channel.circuit.stateAt(monotonicMs)
    const ofCredential = credential?.circuit.stateAt(monotonicMs) ?? 'closed'
    const ofModel = model?.circuit.stateAt(monotonicMs) ?? 'closed'
    if (ofChannel === 'closed' && ofCredential === 'closed' && ofModel === 'closed') return closed
    if (blocksRequests(ofChannel)) return blockingState(channel.circuit, monotonicMs)
    if (credential !== undefined && blocksRequests(ofCredential))
      return blockingState(credential.circuit, monotonicMs)
    if (model !== undefined && blocksRequests(ofModel)) return blockingState(model.circuit, monotonicMs)
    return halfOpenDue
  }

  /** Whether a request may be sent to the candidate now. In the half-open state, only one request at a time may. */
  acquireProbe(candidate: Candidate, monotonicMs: number): boolean {
    const state = this.stateOf(candidate, monotonicMs)
    if (state.type !== 'half-open-due') return state.type === 'closed'
    for (const [scope, circuit] of circuitsOf(this.#records.getOrCreate(candidate), candidate.operation)) {
      if (circuit.stateAt(monotonicMs) !== 'half-open-due') continue
      circuit.startProbe(monotonicMs)
      this.#emitChange(candidate, scope, circuit, { to: 'half-open', reason: circuit.reason, waitMs: 0 })
    }
    return true
  }

  /** Records that the first content of a stream, or a whole answer, arrived. Called once for each attempt. */
  recordSuccess(candidate: Candidate, { startedAtMs, endedAtMs }: AttemptSpan): void {
    const records = this.#records.getOrCreate(candidate)
    records.channel.window.add(endedAtMs)
    records.model.window.add(endedAtMs)
    const { channel, credential, model } = records
    if (
      channel.circuit.reason === undefined &&
      credential.circuit.reason === undefined &&
      model.circuit.reason === undefined
    )
      return
    for (const [scope, circuit] of allCircuits(records)) {
      const { reason } = circuit
      // A call that began before the trip is no evidence of a recovery.
      if (reason === undefined || endedAtMs < circuit.untilMs || startedAtMs < circuit.sinceMs) continue
      circuit.close(endedAtMs)
      if (scope === 'channel') records.channel.window.clear()
      if (scope === 'model') records.model.window.clear()
      this.#emitChange(candidate, scope, circuit, { to: 'healthy', reason, waitMs: 0 })
    }
    this.#refreshMayBeUnhealthy()
  }

  /**
   * Records a check that succeeded. A generated reply closes the circuit breakers at once, like the reply to a request.
   * A list only allows an early probe. Neither affects a breaker that tripped after the check began. Returns whether
   * anything changed.
   */
  recordCheck(check: PassedCheck, { startedAtMs, endedAtMs: monotonicMs }: AttemptSpan): boolean {
    const { candidate } = check
    let hasChanged = false
    for (const [scope, { circuit, window }] of this.#findRecords(candidate)) {
      const { reason } = circuit
      if (reason === undefined || startedAtMs < circuit.sinceMs || reason === 'rate-limited') continue
      if (check.type === 'list') {
        hasChanged =
          (provesByList(scope, reason, check.listNeedsKey) && circuit.allowEarlyProbe(monotonicMs)) ||
          hasChanged
        continue
      }
      circuit.close(monotonicMs)
      window?.clear()
      hasChanged = true
      this.#emitChange(candidate, scope, circuit, { to: 'healthy', reason, waitMs: 0 })
    }
    this.#refreshMayBeUnhealthy()
    return hasChanged
  }

  #refreshMayBeUnhealthy(): void {
    this.#mayBeUnhealthy = this.#restored !== undefined || this.#records.hasTripped()
  }

  /** Finds the records that exist. It creates none. */
  *#findRecords(candidate: Candidate): Generator<readonly [HealthScope, HealthRecord]> {
    const channel = this.#records.findChannel(candidate)
    if (channel === undefined) return
    yield ['channel', channel]
    const credential = this.#records.findCredential(channel, candidate)
    if (credential === undefined) return
    yield ['credential', credential]
    const model = credential.models.get(candidate.target.upstreamModel)
    if (model?.circuit.concerns(candidate.operation) === true) yield ['model', model]
  }

  /**
   * Records a failure. This may follow `recordSuccess`, for a stream that broke off. A fault of the caller or of the
   * gateway has no effect.
   */
  recordFailure(
    candidate: Candidate,
    failure: Failure,
    { startedAtMs, endedAtMs: monotonicMs }: AttemptSpan,
  ): void {
    this.recordCancelled(candidate, startedAtMs)
    const impact = assessHealthImpact(failure)
    const policy = candidate.target.channel.breaker
    if (impact.type === 'none' || policy === undefined) return
    const records = this.#records.getOrCreate(candidate)
    records.model.lastFailure = failure.code
    const { circuit } = records[impact.scope]
    const window = impact.scope === 'credential' ? undefined : records[impact.scope].window
    const isOld = circuit.trips > 0 && startedAtMs < circuit.sinceMs
    const isOpen = isOld || circuit.stateAt(monotonicMs) === 'open'
    if (isOpen && circuit.concerns(candidate.operation)) {
      if (!outlasts(impact, circuit, monotonicMs)) return
    } else if (impact.type === 'failure') window?.addMarked(monotonicMs)
    const tookMs = monotonicMs - startedAtMs
    const { random } = this.#options
    const { operation } = candidate
    const trip = planTrip({ impact, circuit, window, policy, operation, tookMs, monotonicMs, random })
    if (trip === undefined) return
    circuit.trip(trip)
    this.#mayBeUnhealthy = true
    window?.clear()
    this.#emitChange(candidate, impact.scope, circuit, {
      to: 'open',
      reason: trip.reason,
      waitMs: trip.untilMs - monotonicMs,
    })
  }

  /** Records an attempt that ended without evidence about the upstream, for example because the caller disconnected. */
  recordCancelled(candidate: Candidate, startedAtMs: number): void {
    for (const [, circuit] of circuitsOf(this.#records.getOrCreate(candidate), candidate.operation))
      circuit.releaseProbe(startedAtMs)
  }

  /** Drops the records of a channel when an operator resets it. */
  forget(channelName: string): void {
    this.#restored?.forget(channelName)
    this.#records.forget(channelName)
  }

  /** Drops the records of channels that no longer exist. */
  keepOnly(channelNames: ReadonlySet<string>): void {
    for (const name of [...this.#records.channels.keys()]) {
      if (!channelNames.has(name)) this.#records.forget(name)
    }
  }

  report(monotonicMs: number): readonly HealthLine[] {
    const restored = this.#restored
    if (restored !== undefined)
      for (const candidate of this.#options.candidates?.() ?? []) restored.apply(candidate, this.#records)
    return listHealth(this.#records, monotonicMs)
  }

  snapshot(clock: Clock): HealthSnapshot {
    const { breakers, ...snapshot } = createSnapshot(this.#records, clock)
    return { ...snapshot, breakers: [...breakers, ...(this.#restored?.pending() ?? [])] }
  }

  /**
   * Restores a snapshot. It applies to each candidate when that candidate is first considered, if its address and
   * secret are the same.
   */
  restore(snapshot: HealthSnapshot, clock: Clock): void {
    if (snapshot.breakers.length === 0) return
    this.#restored = restoreHealth(snapshot, clock)
    this.#mayBeUnhealthy = true
  }

  /**
   * Adopts the breakers that another process has open. Breakers of candidates that are known here apply at once, those
   * in `candidates` are considered now, and the others apply when their candidate is first considered. No change is
   * reported, since the other process reports it.
   */
  adopt(snapshot: HealthSnapshot, clock: Clock, candidates: Iterable<Candidate>): void {
    if (snapshot.breakers.length === 0) return
    adoptBreakers(this.#records, snapshot, clock)
    const breakers = mergeBreakers(this.#restored?.pending() ?? [], snapshot.breakers)
    this.restore({ ...snapshot, breakers }, clock)
    for (const candidate of candidates) this.#restored?.apply(candidate, this.#records)
  }

  /** Closes a breaker that another process has closed. */
  adoptClosed(closed: BreakerName, monotonicMs: number): void {
    closeBreaker(this.#records, closed, monotonicMs)
    this.#restored?.close(closed)
    this.#refreshMayBeUnhealthy()
  }

  #emitChange(
    { target, credential }: Candidate,
    scope: HealthScope,
    circuit: CircuitBreaker,
    { to, reason, waitMs }: { to: HealthChange['to']; reason: TripReason | undefined; waitMs: number },
  ): void {
    if (reason === undefined) return
    this.#options.onChange?.({
      channel: target.channel.name,
      scope,
      credentialId: scope === 'channel' ? undefined : credential?.id,
      upstreamModel: scope === 'model' ? target.upstreamModel : undefined,
      to,
      reason,
      operations: operationsOf(circuit),
      waitMs,
      needsOperator: needsOperator(reason),
    })
  }
}

/** The members that the three kinds of records share. */
interface HealthRecord {
  readonly circuit: CircuitBreaker
  readonly window?: SlidingCounts
}

/** Whether a failure sets a later end of the cooldown. Otherwise a call that began before the trip has no effect. */
function outlasts(impact: HealthImpact, circuit: CircuitBreaker, monotonicMs: number): boolean {
  return (
    impact.type === 'cooldown' && impact.forMs !== undefined && monotonicMs + impact.forMs > circuit.untilMs
  )
}
