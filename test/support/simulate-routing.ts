import { createFailure, type Failure } from '../../src/canonical/failure.ts'
import type { Catalog, Route } from '../../src/catalog/catalog.ts'
import type { Random } from '../../src/kit/random/random.ts'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { AttemptSequence, type RoutingState } from '../../src/routing/attempt-sequence.ts'
import type { Candidate } from '../../src/routing/candidate.ts'
import type { HealthChange } from '../../src/routing/health/health-report.ts'
import { HealthTracker } from '../../src/routing/health/health-tracker.ts'
import { LatencyTracker } from '../../src/routing/order/latency-tracker.ts'
import { planAttempts } from '../../src/routing/plan-attempts.ts'
import { ConcurrencyLimits } from '../../src/routing/queue/concurrency-limits.ts'
import { createCredentialRotation } from '../../src/routing/queue/credential-rotation.ts'
import { RetryBudget } from '../../src/routing/retry-budget.ts'
import type { RetryPolicy } from '../../src/routing/retry-schema.ts'

/** The outcome of one call at an upstream: after how long, and with what failure if any. */
export interface SimulatedAnswer {
  readonly afterMs: number
  readonly failure?: Failure | undefined
}

export interface SimulatedCall {
  readonly request: number
  readonly candidate: Candidate
  readonly atMs: number
}

export interface SimulationParts {
  readonly route: Route
  readonly catalog: Catalog
  /** The times at which requests come, in milliseconds. */
  readonly arrivals: readonly number[]
  readonly answer: (candidate: Candidate, nowMs: number, random: Random) => SimulatedAnswer
  readonly policy: RetryPolicy
  readonly seed: number
}

export interface SimulatedRequest {
  readonly atMs: number
  outcome: 'answered' | 'failed' | 'unfinished'
  calls: number
  planned: readonly Candidate[]
}

export interface Simulation {
  readonly requests: readonly SimulatedRequest[]
  readonly calls: readonly SimulatedCall[]
  readonly changes: readonly (HealthChange & { readonly atMs: number })[]
  readonly routingState: RoutingState
}

/** Runs requests through plan, sequence and books, with upstreams and time made up; a step is a millisecond. */
export function simulateRouting(parts: SimulationParts): Simulation {
  const random = createSeededRandom(parts.seed)
  const agenda = new Agenda()
  const calls: SimulatedCall[] = []
  const changes: (HealthChange & { atMs: number })[] = []
  const requests: SimulatedRequest[] = []
  const onChange = (change: HealthChange) => changes.push({ ...change, atMs: agenda.nowMs })
  const routingState = {
    health: new HealthTracker({ random, onChange }),
    inFlight: new ConcurrencyLimits(),
    latency: new LatencyTracker(),
    retryBudget: new RetryBudget(),
    rotation: createCredentialRotation(),
  }
  const facts = { ...routingState, random }

  function arrive(): void {
    const { route, catalog, policy } = parts
    const nowMs = agenda.nowMs
    const plan = planAttempts({
      route,
      catalog,
      operation: 'conversation',
      monotonicMs: nowMs,
      atMs: nowMs,
      isStream: false,
      facts,
      session: undefined,
    })
    const request: SimulatedRequest = {
      atMs: nowMs,
      outcome: 'unfinished',
      calls: 0,
      planned: plan.candidates,
    }
    const { candidates } = plan
    const deadlineAtMs = nowMs + policy.deadlineMs
    const sequence = new AttemptSequence({
      candidates,
      routingState,
      policy,
      random,
      isStream: false,
      deadlineAtMs,
    })
    advance(request, requests.push(request) - 1, sequence)
  }

  function advance(request: SimulatedRequest, index: number, sequence: AttemptSequence): void {
    const step = sequence.next(agenda.nowMs)
    if (step.type === 'end') request.outcome = 'failed'
    if (step.type === 'wait') agenda.after(step.waitMs, () => advance(request, index, sequence))
    if (step.type !== 'call') return
    request.calls += 1
    calls.push({ request: index, candidate: step.candidate, atMs: agenda.nowMs })
    const { afterMs, failure } = parts.answer(step.candidate, agenda.nowMs, random)
    agenda.after(afterMs, () => {
      sequence.finish(
        failure === undefined ? { type: 'answered' } : { type: 'failed', failure },
        agenda.nowMs,
      )
      if (failure === undefined) request.outcome = 'answered'
      else advance(request, index, sequence)
    })
  }

  for (const atMs of parts.arrivals) agenda.after(atMs, arrive)
  agenda.run()
  return { requests, calls, changes, routingState }
}

/** The events by whole milliseconds, those of one instant in the order they were entered. */
class Agenda {
  nowMs = 0
  readonly #entries = new Map<number, (() => void)[]>()
  #lastMs = 0

  after(delayMs: number, run: () => void): void {
    const atMs = this.nowMs + Math.max(0, Math.ceil(delayMs))
    this.#lastMs = Math.max(this.#lastMs, atMs)
    const known = this.#entries.get(atMs)
    if (known === undefined) this.#entries.set(atMs, [run])
    else known.push(run)
  }

  run(): void {
    for (; this.nowMs <= this.#lastMs; this.nowMs += 1) {
      // An event that one of them enters for this very instant is met as well.
      for (const run of this.#entries.get(this.nowMs) ?? []) run()
      this.#entries.delete(this.nowMs)
    }
  }
}

export function fail(code: Parameters<typeof createFailure>[0], retryAfterSeconds?: number): Failure {
  return createFailure(code, retryAfterSeconds === undefined ? {} : { retryAfterSeconds })
}
