import type { Failure } from '../canonical/failure.ts'
import type { Random } from '../kit/random/random.ts'
import type { Candidate } from './candidate.ts'
import { isCutShort } from './health/assess-health-impact.ts'
import { isOutOfRotation } from './health/health-state.ts'
import type { HealthTracker } from './health/health-tracker.ts'
import { judgeFailure, rulesOut } from './judge-failure.ts'
import type { LatencyTracker } from './order/latency-tracker.ts'
import { planRetry } from './plan-retry.ts'
import type { ConcurrencyLimits } from './queue/concurrency-limits.ts'
import type { CredentialRotation } from './queue/credential-rotation.ts'
import type { RetryBudget } from './retry-budget.ts'
import type { RetryPolicy } from './retry-schema.ts'

/** The routing state that is shared by all requests. */
export interface RoutingState {
  readonly health: HealthTracker
  readonly inFlight: ConcurrencyLimits
  readonly latency: LatencyTracker
  readonly retryBudget: RetryBudget
  readonly rotation: CredentialRotation
}

export interface SequenceInput {
  readonly candidates: readonly Candidate[]
  readonly routingState: RoutingState
  readonly policy: RetryPolicy
  readonly random: Random
  readonly isStream: boolean
  /** The time by `Clock.monotonicMs` after which no call begins. */
  readonly deadlineAtMs: number
  /**
   * Called when a stream broke off after content was shown. Returns whether another generation may be compared with
   * that content.
   */
  readonly mayRecover?: (() => boolean) | undefined
  /**
   * Whether the request is a trial of something that its target may not be able to do. The failures and the latency of
   * a trial are no evidence about the target.
   */
  readonly isTrial?: boolean
}

/** The duration after which a connection that broke off is not retried while another target is left. */
const MAX_RETRIED_CALL_MS = 5_000

export type Step =
  /** The candidate's slot is taken; `finish` must follow. */
  | { readonly type: 'call'; readonly candidate: Candidate }
  /** The caller waits, then calls `next` again. */
  | { readonly type: 'wait'; readonly waitMs: number }
  | {
      readonly type: 'end'
      readonly reason: 'exhausted' | 'attempts' | 'deadline' | 'retry-budget' | 'stopped'
    }

export type AttemptEnd =
  | { readonly type: 'answered' }
  /** A failure, possibly after content was shown. */
  | { readonly type: 'failed'; readonly failure: Failure }
  /** The caller disconnected, or the process must end. This is no evidence about the upstream. */
  | { readonly type: 'left' }
  /**
   * No provider was called, because a budget does not have room for the call's possible cost. The target is left out
   * from then on.
   */
  | { readonly type: 'skipped' }

/**
 * The calls of one request, one after the other. The sequence decides which call is next, records each call, and reacts
 * to its failure. It changes only the routing state. Its user waits, makes the calls and supplies the time.
 */
export class AttemptSequence {
  readonly #input: SequenceInput
  #open: readonly Candidate[]
  #current: Current | undefined
  #last: Candidate | undefined
  /** Whether the call in progress has shown content. */
  #hasContent = false
  /** Whether any call has shown content. */
  #isShown = false
  #isStopped = false
  /** Targets that were called. */
  readonly #called = new Set<string>()
  #retries = 0
  /** The time at which the first open candidate may be retried; undefined where that candidate is a new one. */
  #retryAtMs: number | undefined
  calls = 0

  constructor(input: SequenceInput) {
    this.#input = input
    this.#open = input.candidates
  }

  /** The next step. There is no next step after a call that ended in `answered` or `left`. */
  next(monotonicMs: number): Step {
    const { policy, deadlineAtMs } = this.#input
    if (this.#isStopped) return { type: 'end', reason: 'stopped' }
    if (this.calls >= policy.attempts) return { type: 'end', reason: 'attempts' }
    if (monotonicMs >= deadlineAtMs) return { type: 'end', reason: 'deadline' }
    if (this.#retryAtMs !== undefined && monotonicMs < this.#retryAtMs)
      return { type: 'wait', waitMs: this.#retryAtMs - monotonicMs }
    let isOverRetryBudget = false
    for (const candidate of this.#open) {
      const admission = this.#admit(candidate, monotonicMs)
      if (admission === 'granted' || admission === 'granted-probe')
        return this.#begin({ candidate, startedAtMs: monotonicMs, isProbe: admission === 'granted-probe' })
      isOverRetryBudget ||= admission === 'over-retry-budget'
      this.#drop(candidate)
    }
    return { type: 'end', reason: isOverRetryBudget ? 'retry-budget' : 'exhausted' }
  }

  /** Records that the first content of a stream arrived. */
  recordContent(monotonicMs: number): void {
    if (this.#current === undefined || this.#hasContent) return
    this.#hasContent = true
    this.#recordSuccess(monotonicMs)
  }

  /** Whether another target could be called instead of the current one, if that stays silent. */
  hasOther(monotonicMs: number): boolean {
    const { policy, deadlineAtMs } = this.#input
    const current = this.#current?.candidate
    if (current === undefined || this.calls >= policy.attempts || monotonicMs >= deadlineAtMs) return false
    return this.#open.some(
      (other) => targetKey(other) !== targetKey(current) && this.#isInRotation(other, monotonicMs),
    )
  }

  /** Ends the call. Returns whether another request may wait for its slot, or for the end of its probe. */
  finish(end: AttemptEnd, monotonicMs: number): boolean {
    const current = this.#current
    if (current === undefined) return false
    const { candidate, startedAtMs, isProbe } = current
    const { health, inFlight } = this.#input.routingState
    const isFreed = inFlight.release(candidate.target)
    if (end.type === 'answered' && !this.#hasContent) this.#recordSuccess(monotonicMs)
    const span = { startedAtMs, endedAtMs: monotonicMs }
    const isCut = end.type === 'failed' && !this.#hasContent && isCutShort(end.failure, span, this.#input)
    const isEvidence = end.type === 'failed' && this.#input.isTrial !== true && !isCut
    if (isEvidence) health.recordFailure(candidate, end.failure, span)
    else if (end.type !== 'answered') health.recordCancelled(candidate, startedAtMs)
    this.#current = undefined
    const tookMs = monotonicMs - startedAtMs
    if (end.type === 'failed') this.#decide({ candidate, isProbe, failure: end.failure, monotonicMs, tookMs })
    else if (end.type === 'skipped') this.#skip(candidate)
    else this.#isStopped = true
    return isFreed || isProbe
  }

  /** Removes all candidates of a target, since another credential would cost as much. */
  #skip({ target, publicName }: Candidate): void {
    this.calls -= 1
    this.#open = this.#open.filter((other) => other.target !== target || other.publicName !== publicName)
  }

  #recordSuccess(monotonicMs: number): void {
    if (this.#current === undefined) return
    const { candidate, startedAtMs } = this.#current
    const { routingState, isStream, isTrial } = this.#input
    routingState.health.recordSuccess(candidate, { startedAtMs, endedAtMs: monotonicMs })
    if (isTrial !== true)
      routingState.latency.record(candidate.target, { isStream, ms: monotonicMs - startedAtMs, monotonicMs })
  }

  #begin(current: Current): Step {
    const { candidate } = current
    this.calls += 1
    this.#advanceRotation(candidate)
    this.#called.add(targetKey(candidate))
    this.#current = current
    this.#last = candidate
    this.#hasContent = false
    this.#retryAtMs = undefined
    return { type: 'call', candidate }
  }

  /**
   * Advances the rotation. A request uses one turn of a target, however many of its credentials it calls. Most channels
   * have one credential.
   */
  #advanceRotation(candidate: Candidate): void {
    const { name, credentials } = candidate.target.channel
    if (credentials.length < 2 || this.#called.has(targetKey(candidate))) return
    this.#input.routingState.rotation.advance(name)
  }

  #decide(ended: Ended): void {
    const { candidate, failure, monotonicMs } = ended
    const verdict = judgeFailure(failure)
    this.#isShown ||= this.#hasContent
    const isBeyondRepair = this.#isShown && this.#input.mayRecover?.() !== true
    this.#isStopped = verdict.next === 'stop' || isBeyondRepair
    const others = this.#open.filter((other) => other !== candidate && !rulesOut(verdict, candidate, other))
    const waitMs = this.#isStopped || this.#isShown ? undefined : this.#planRetry(ended, others)
    this.#retries = waitMs === undefined ? 0 : this.#retries + 1
    this.#retryAtMs = waitMs === undefined ? undefined : monotonicMs + waitMs
    // Targets that the verdict rules out stay out, even if the retry is not granted.
    this.#open = waitMs === undefined ? others : [candidate, ...others]
  }

  #planRetry(
    { candidate, isProbe, failure, monotonicMs, tookMs }: Ended,
    others: readonly Candidate[],
  ): number | undefined {
    const { policy, random, deadlineAtMs, routingState } = this.#input
    // The next probe is due after the cooldown.
    if (isProbe) return undefined
    const untried = this.#countUntried(others, monotonicMs)
    if (untried >= policy.attempts - this.calls) return undefined
    // A retry after such a long time would double the caller's wait.
    const isLate = failure.code === 'upstream_disconnected' && tookMs > MAX_RETRIED_CALL_MS
    if (isLate && untried > 0) return undefined
    const isSameName = others.some(({ publicName }) => publicName === candidate.publicName)
    const waitMs = planRetry({
      failure,
      retries: this.#retries,
      policy,
      random,
      alternatives: isSameName ? 'same-name' : others.length > 0 ? 'fallback' : 'none',
      remainingMs: deadlineAtMs - monotonicMs,
    })
    if (waitMs === undefined || others.length === 0) return waitMs
    const { type } = routingState.health.stateOf(candidate, monotonicMs + waitMs)
    return type === 'open' || type === 'half-open' ? undefined : waitMs
  }

  /** The number of targets that were not called and may be. A retry must not use the attempt that one of them needs. */
  #countUntried(others: readonly Candidate[], monotonicMs: number): number {
    const { inFlight } = this.#input.routingState
    const mayBeCalled = (one: Candidate) =>
      this.#isInRotation(one, monotonicMs) && !inFlight.isFull(one.target)
    const untried = others.filter((one) => !this.#called.has(targetKey(one)) && mayBeCalled(one))
    return new Set(untried.map(targetKey)).size
  }

  /** Acquires everything that a call needs, or nothing. */
  #admit(candidate: Candidate, monotonicMs: number): CallAdmission {
    const { health, inFlight } = this.#input.routingState
    const isRetry = this.#retryAtMs !== undefined && candidate === this.#last
    if (!isRetry && !this.#isInRotation(candidate, monotonicMs)) return 'refused'
    // The circuit breaker may have become half-open since the plan was made.
    const isProbe = candidate.isProbe || health.stateOf(candidate, monotonicMs).type === 'half-open-due'
    if (isProbe && !health.acquireProbe(candidate, monotonicMs)) return 'refused'
    const hasSlot = inFlight.tryAcquire(candidate.target)
    if (hasSlot && this.#isWithinRetryBudget(candidate, isProbe, monotonicMs))
      return isProbe ? 'granted-probe' : 'granted'
    if (hasSlot) inFlight.release(candidate.target)
    if (isProbe) health.recordCancelled(candidate, monotonicMs)
    return hasSlot ? 'over-retry-budget' : 'refused'
  }

  /**
   * Whether the candidate is still in rotation. Another request may have tripped its circuit breaker since the plan was
   * made.
   */
  #isInRotation(candidate: Candidate, monotonicMs: number): boolean {
    if (this.calls === 0) return true
    const state = this.#input.routingState.health.stateOf(candidate, monotonicMs)
    return !isOutOfRotation(state)
  }

  #isWithinRetryBudget(candidate: Candidate, isProbe: boolean, monotonicMs: number): boolean {
    const { retryBudget } = this.#input.routingState
    const last = this.#last
    if (last === undefined) {
      retryBudget.addRequest(monotonicMs)
      return true
    }
    // The first call of each target that is not known to fail is a failover; all others are retries.
    const isFailover = !isProbe && !this.#called.has(targetKey(candidate))
    return retryBudget.tryWithdraw(isFailover ? 'failover' : 'further', monotonicMs)
  }

  #drop(candidate: Candidate): void {
    this.#retryAtMs = undefined
    this.#retries = 0
    this.#open = this.#open.filter((other) => other !== candidate)
  }
}

type CallAdmission = 'granted' | 'granted-probe' | 'refused' | 'over-retry-budget'

interface Current {
  readonly candidate: Candidate
  readonly startedAtMs: number
  readonly isProbe: boolean
}

interface Ended extends Pick<Current, 'candidate' | 'isProbe'> {
  readonly failure: Failure
  readonly monotonicMs: number
  readonly tookMs: number
}

function targetKey({ target }: Candidate): string {
  return `${target.channel.name} ${target.upstreamModel}`
}
