import type { Failure } from '../../canonical/failure.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { Random } from '../../kit/values/random.ts'
import type { Candidate } from '../candidate.ts'
import {
  assessHealthImpact,
  type HealthImpact,
  type HealthScope,
  needsOperator,
  type ShutReason,
} from './assess-health-impact.ts'
import type { CircuitBreaker } from './circuit-breaker.ts'
import type { HealthChange, HealthLine } from './health-report.ts'
import type { HealthSnapshot } from './health-store.ts'
import { HealthTable, type Trail } from './health-table.ts'
import { listHealth } from './list-health.ts'
import { provesByList } from './plan-check.ts'
import { planTrip } from './plan-trip.ts'
import type { SlidingCounts } from './sliding-counts.ts'
import { restoreHealth, takeSnapshot } from './snapshot-health.ts'

export type HealthState =
  | { readonly type: 'ready' }
  /** It must prove itself: one request may go there, once `takeProbe` grants it. */
  | { readonly type: 'probe' }
  | {
      readonly type: 'shut'
      readonly reason: ShutReason | 'probing'
      /** Of the clock that never goes back; undefined where it depends on the probe under way. */
      readonly untilMs: number | undefined
      /** Whether it still serves some, and may be asked when nothing else is left. */
      readonly isLastResort: boolean
    }

/** When an attempt was under way, by the clock that never goes back. */
export interface AttemptSpan {
  readonly startedAtMs: number
  readonly endedAtMs: number
}

/** A check that was answered well. Of `candidate`'s model a list says nothing. */
export type PassedCheck =
  | { readonly type: 'list'; readonly candidate: Candidate; readonly listNeedsKey: boolean }
  | { readonly type: 'one-token'; readonly candidate: Candidate }

export interface HealthTrackerOptions {
  readonly random: Random
  /** Told of every change, at once; must not throw. */
  readonly onChange?: (change: HealthChange) => void
}

const ready: HealthState = { type: 'ready' }
const probe: HealthState = { type: 'probe' }

/**
 * What lately went well or wrong with every channel, credential and model, and so what may be asked. It learns from
 * traffic alone; a look at something that is well costs three look-ups in maps and makes nothing.
 */
export class HealthTracker {
  readonly #records = new HealthTable()
  readonly #parts: HealthTrackerOptions
  #kept: ReturnType<typeof restoreHealth> | undefined
  /** False where nothing at all is shut, so that nobody need be looked up. */
  #mayBeUnwell = false

  constructor(parts: HealthTrackerOptions) {
    this.#parts = parts
  }

  stateOf(candidate: Candidate, nowMs: number): HealthState {
    if (!this.#mayBeUnwell) return ready
    this.#kept?.apply(candidate, this.#records)
    const channel = this.#records.findChannel(candidate)
    if (channel === undefined) return ready
    const credential = this.#records.findCredential(channel, candidate)
    const model = credential?.models.get(candidate.target.upstreamModel)
    // Spelled out, since this is asked for every candidate of every request.
    const ofChannel = channel.gate.look(nowMs)
    const ofCredential = credential?.gate.look(nowMs) ?? 'open'
    const ofModel = model?.gate.look(nowMs) ?? 'open'
    if (ofChannel === 'open' && ofCredential === 'open' && ofModel === 'open') return ready
    if (ofChannel === 'shut' || ofChannel === 'probing') return shutState(channel.gate, nowMs)
    if (credential !== undefined && (ofCredential === 'shut' || ofCredential === 'probing')) {
      return shutState(credential.gate, nowMs)
    }
    if (model !== undefined && (ofModel === 'shut' || ofModel === 'probing'))
      return shutState(model.gate, nowMs)
    return probe
  }

  /** Whether the candidate may be asked to prove itself: of several requests, one is granted it at a time. */
  takeProbe(candidate: Candidate, nowMs: number): boolean {
    const state = this.stateOf(candidate, nowMs)
    if (state.type !== 'probe') return state.type === 'ready'
    for (const [scope, gate] of gatesOf(this.#records.reach(candidate))) {
      if (gate.look(nowMs) !== 'due') continue
      gate.takeProbe(nowMs)
      this.#tell(candidate, scope, { to: 'half-open', reason: gate.reason, waitMs: 0 })
    }
    return true
  }

  /** Something of an answer came: the first content of a stream, or a whole answer. Once for each attempt. */
  noteSuccess(candidate: Candidate, { startedAtMs, endedAtMs }: AttemptSpan): void {
    const trail = this.#records.reach(candidate)
    trail.channel.window.note(false, endedAtMs)
    trail.model.window.note(false, endedAtMs)
    const { channel, credential, model } = trail
    if (
      channel.gate.reason === undefined &&
      credential.gate.reason === undefined &&
      model.gate.reason === undefined
    )
      return
    for (const [scope, gate] of gatesOf(trail)) {
      const { reason } = gate
      // What was asked before it was shut proves nothing of now.
      if (reason === undefined || endedAtMs < gate.untilMs || startedAtMs < gate.sinceMs) continue
      gate.open(endedAtMs)
      if (scope === 'channel') trail.channel.window.clear()
      if (scope === 'model') trail.model.window.clear()
      this.#tell(candidate, scope, { to: 'healthy', reason, waitMs: 0 })
    }
    this.#lookAtAll()
  }

  /**
   * A check was passed. An answer to a generation is as good as one to a request, and opens what it speaks for before
   * its time; a list only lets one request try. Neither counts for what was shut since the check began. Tells whether
   * anything changed.
   */
  noteCheck(check: PassedCheck, { startedAtMs, endedAtMs: nowMs }: AttemptSpan): boolean {
    const { candidate } = check
    let hasChanged = false
    for (const [scope, { gate, window }] of this.#findRecords(candidate)) {
      const { reason } = gate
      if (reason === undefined || startedAtMs < gate.sinceMs || reason === 'rate-limited') continue
      if (check.type === 'list') {
        hasChanged =
          (provesByList(scope, reason, check.listNeedsKey) && gate.allowEarlyProbe(nowMs)) || hasChanged
        continue
      }
      gate.open(nowMs)
      window?.clear()
      hasChanged = true
      this.#tell(candidate, scope, { to: 'healthy', reason, waitMs: 0 })
    }
    this.#lookAtAll()
    return hasChanged
  }

  #lookAtAll(): void {
    this.#mayBeUnwell = this.#kept !== undefined || this.#records.holdsOpen()
  }

  /** Makes nothing that is not there yet. */
  *#findRecords(candidate: Candidate): Generator<readonly [HealthScope, Gated]> {
    const channel = this.#records.findChannel(candidate)
    if (channel === undefined) return
    yield ['channel', channel]
    const credential = this.#records.findCredential(channel, candidate)
    if (credential === undefined) return
    yield ['credential', credential]
    const model = credential.models.get(candidate.target.upstreamModel)
    if (model !== undefined) yield ['model', model]
  }

  /** Also after `noteSuccess`, for a stream that broke. What is the caller's fault or ours counts for nothing. */
  noteFailure(candidate: Candidate, failure: Failure, { startedAtMs, endedAtMs: nowMs }: AttemptSpan): void {
    this.noteLeft(candidate, startedAtMs)
    const harm = assessHealthImpact(failure)
    const { breaker } = candidate.target.channel
    if (harm.type === 'none' || breaker === undefined) return
    const trail = this.#records.reach(candidate)
    trail.model.lastFailure = failure.code
    const { gate } = trail[harm.scope]
    const window = harm.scope === 'credential' ? undefined : trail[harm.scope].window
    const isOld = gate.trips > 0 && startedAtMs < gate.sinceMs
    if (isOld || gate.look(nowMs) === 'shut') {
      if (!outlasts(harm, gate, nowMs)) return
    } else if (harm.type === 'failure') window?.note(true, nowMs)
    const tookMs = nowMs - startedAtMs
    const shutting = planTrip({ harm, gate, window, breaker, tookMs, nowMs, random: this.#parts.random })
    if (shutting === undefined) return
    gate.shut(shutting)
    this.#mayBeUnwell = true
    window?.clear()
    this.#tell(candidate, harm.scope, {
      to: 'open',
      reason: shutting.reason,
      waitMs: shutting.untilMs - nowMs,
    })
  }

  /** An attempt ended without a word on the upstream's health, such as by the caller's leaving. */
  noteLeft(candidate: Candidate, startedAtMs: number): void {
    for (const [, gate] of gatesOf(this.#records.reach(candidate))) gate.releaseProbe(startedAtMs)
  }

  /** All that is known of a channel is forgotten, by an operator's word. */
  forget(channelName: string): void {
    this.#kept?.forget(channelName)
    this.#records.forget(channelName)
  }

  /** Forgets the channels that are gone. */
  keepOnly(channelNames: ReadonlySet<string>): void {
    for (const name of [...this.#records.channels.keys()]) {
      if (!channelNames.has(name)) this.#records.forget(name)
    }
  }

  report(nowMs: number): readonly HealthLine[] {
    return listHealth(this.#records, nowMs)
  }

  snapshot(clock: Clock): HealthSnapshot {
    const { gates, ...snapshot } = takeSnapshot(this.#records, clock)
    return { ...snapshot, gates: [...gates, ...(this.#kept?.untaken() ?? [])] }
  }

  /** Counts for each candidate from when it is first looked at, and only where its address and secret are the same. */
  restore(snapshot: HealthSnapshot, clock: Clock): void {
    if (snapshot.gates.length === 0) return
    this.#kept = restoreHealth(snapshot, clock)
    this.#mayBeUnwell = true
  }

  #tell(
    { target, credential }: Candidate,
    scope: HealthScope,
    { to, reason, waitMs }: { to: HealthChange['to']; reason: ShutReason | undefined; waitMs: number },
  ): void {
    if (reason === undefined) return
    this.#parts.onChange?.({
      channel: target.channel.name,
      scope,
      credentialId: scope === 'channel' ? undefined : credential?.id,
      upstreamModel: scope === 'model' ? target.upstreamModel : undefined,
      to,
      reason,
      waitMs,
      needsOperator: needsOperator(reason),
    })
  }
}

/** What any of the three records has. */
interface Gated {
  readonly gate: CircuitBreaker
  readonly window?: SlidingCounts
}

function gatesOf({ channel, credential, model }: Trail): readonly (readonly [HealthScope, CircuitBreaker])[] {
  return [
    ['channel', channel.gate],
    ['credential', credential.gate],
    ['model', model.gate],
  ]
}

function shutState(gate: CircuitBreaker, nowMs: number): HealthState {
  const isProbing = nowMs >= gate.untilMs
  return {
    type: 'shut',
    reason: isProbing || gate.reason === undefined ? 'probing' : gate.reason,
    untilMs: isProbing ? undefined : gate.untilMs,
    isLastResort: gate.isDegraded,
  }
}

/** What was asked before a gate was shut says nothing new, unless it names a later end or a graver reason. */
function outlasts(harm: HealthImpact, gate: CircuitBreaker, nowMs: number): boolean {
  return harm.type === 'cool' && harm.forMs !== undefined && nowMs + harm.forMs > gate.untilMs
}
