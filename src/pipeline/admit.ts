import { createFailure } from '../canonical/failure.ts'
import type { RateLimit } from '../metering/rate-limit.ts'
import type { RateLease } from '../metering/rates/rate-limiter.ts'
import { AttemptSequence, type RoutingState, type Step } from '../routing/attempt-sequence.ts'
import { explainExclusions, findEarliestReturnMs } from '../routing/explain-exclusions.ts'
import type { Exclusion, Plan } from '../routing/plan-attempts.ts'
import type { RequestQueue } from '../routing/queue/request-queue.ts'
import type { RetryPolicy } from '../routing/retry-schema.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import type { TimeAccount } from './exchange/time-account.ts'
import { type PlanDependencies, type PlanInput, plan } from './plan.ts'
import type { CallerConnection } from './response/caller-connection.ts'
import { acquireRate, type RateWait } from './spending/acquire-rate.ts'
import type { Spending } from './spending/spending.ts'

export interface AdmitInput extends PlanInput {
  /** The plan at this moment. */
  readonly plan: Plan
  readonly rates: readonly RateLimit[]
  readonly times: Pick<TimeAccount, 'endWait'>
  readonly callerConnection: CallerConnection
  /** Receives the lease, which is released when the request ends. */
  readonly holdLease: (lease: RateLease) => void
  /** The time at which the request's deadline ends, by `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

export interface AdmitDependencies extends PlanDependencies {
  readonly spending: Spending
  readonly routingState: RoutingState
  readonly retry: RetryPolicy
  /** The queue of requests for which every target is in cooldown or full; undefined where no request waits. */
  readonly queue: RequestQueue | undefined
}

export interface Admitted {
  readonly type: 'admitted'
  /** The plan under which the request was admitted: the first plan, or a later one if the request waited. */
  readonly plan: Plan
  readonly sequence: AttemptSequence
  /** The first step of the sequence, which the sequence has already given out. */
  readonly firstStep: Step
}

export interface Refused {
  readonly type: 'refused'
  /** The last plan of the request. */
  readonly plan: Plan
  readonly outcome: Exclude<ExchangeOutcome, { readonly type: 'answered' }>
}

export type Admission = Admitted | Refused

/**
 * Lets the exchange make its first call, within its rate limits and the limits of its targets. While every target is in
 * cooldown or full, the exchange waits in the queue. Only a request that waits gets a promise (decision 0012).
 */
export function admit(input: AdmitInput, dependencies: AdmitDependencies): Admission | Promise<Admission> {
  // The caller may have disconnected while the request was read or looked up.
  if (input.callerConnection.isGone) return refuse(input.plan, callerGone)
  if (input.rates.length === 0) return findTarget(input, dependencies)
  const acquired = acquireRate(input, dependencies.spending)
  if (acquired.type === 'waits') return waitForRate(acquired, input, dependencies)
  if (acquired.type === 'failed') return refuse(input.plan, acquired)
  if (acquired.type === 'left') return refuse(input.plan, callerGone)
  input.holdLease(acquired.lease)
  return findTarget(input, dependencies)
}

const callerGone: Refused['outcome'] = { type: 'caller-gone' }

function shuttingDown(): Refused['outcome'] {
  return { type: 'failed', failure: createFailure('shutting_down') }
}

function refuse(plan: Plan, outcome: Refused['outcome']): Refused {
  return { type: 'refused', plan, outcome }
}

async function waitForRate(
  { outcome, leave }: RateWait,
  input: AdmitInput,
  dependencies: AdmitDependencies,
): Promise<Admission> {
  const { times, plan: before, callerConnection } = input
  callerConnection.listen({ onDrain: () => undefined, onGone: leave, onStop: leave })
  const acquired = await outcome
  times.endWait(dependencies.clock.monotonicMs())
  if (acquired.type === 'left') return refuse(before, callerConnection.isGone ? callerGone : shuttingDown())
  if (acquired.type === 'failed') return refuse(before, acquired)
  input.holdLease(acquired.lease)
  // Slots may have become free during the wait, and circuit breakers may have opened.
  return findTarget({ ...input, plan: plan(input, dependencies) }, dependencies)
}

function findTarget(input: AdmitInput, dependencies: AdmitDependencies): Admission | Promise<Admission> {
  const { exchange } = input
  const { queue } = dependencies
  const isBehindOthers = queue !== undefined && queue.size > 0 && queue.hasWaiting(groupOf(input))
  const admitted = isBehindOthers ? undefined : openSequence(input, dependencies)
  if (admitted !== undefined && !isExhausted(admitted)) return admitted
  const mayWait = exchange.kind !== 'token-count' && isWorthWaiting(input, dependencies)
  if (queue !== undefined && mayWait) return waitInQueue(input, { ...dependencies, queue })
  // If there is no call to make and waiting does not help, the loop over attempts says why.
  return admitted ?? openSequence(input, dependencies)
}

/**
 * Names the targets that may serve a request. A request that refers to something that one account stores has fewer
 * targets than the others of its model, and must not hold them up.
 */
function groupOf({ exchange, plan }: Pick<AdmitInput, 'exchange' | 'plan'>): string {
  const names = new Set<string>()
  for (const { target, credential } of [...plan.candidates, ...plan.excluded])
    names.add(JSON.stringify([target.channel.name, credential?.id, target.upstreamModel]))
  return JSON.stringify([exchange.route.publicName, ...[...names].sort()])
}

/** Opens the sequence. The sequence holds the slots and limits that the first step uses. */
export function openSequence(
  input: Pick<AdmitInput, 'exchange' | 'plan' | 'deadlineAtMs'>,
  dependencies: Pick<AdmitDependencies, 'routingState' | 'retry' | 'random' | 'clock'>,
): Admitted {
  const { exchange, plan, deadlineAtMs } = input
  const { routingState, retry, random, clock } = dependencies
  const transcript = exchange.kind === 'conversation' ? exchange.transcript : undefined
  const sequence = new AttemptSequence({
    candidates: plan.candidates,
    routingState,
    policy: retry,
    random,
    isStream: exchange.scanned.isStream,
    deadlineAtMs,
    isTrial: exchange.callerRequest.pin?.isTrial === true,
    mayRecover: transcript && (() => transcript.hasStarted && transcript.isReproducible),
  })
  return { type: 'admitted', plan, sequence, firstStep: sequence.next(clock.monotonicMs()) }
}

/** Whether no target can be called at this moment. */
function isExhausted({ firstStep }: Admitted): boolean {
  return firstStep.type === 'end' && firstStep.reason === 'exhausted'
}

/** Whether waiting helps: a slot may become free, a probe may end, or a cooldown may end in time. */
function isWorthWaiting(
  { plan, deadlineAtMs }: AdmitInput,
  { clock, queue }: Pick<AdmitDependencies, 'clock' | 'queue'>,
): boolean {
  const { excluded, candidates } = plan
  if (candidates.length > 0 || excluded.some(isFreedByOthers)) return true
  const nowMs = clock.monotonicMs()
  const waitMs = queue?.waitMs ?? 0
  return excluded.some(({ reason, untilMs = Number.POSITIVE_INFINITY }) => {
    // A provider that names a time is ready at that time. After failures nothing is certain, and the caller can do
    // other things in the meantime.
    const maxMs = isNamed(reason) ? waitMs : Math.min(waitMs, MAX_DOUBTFUL_WAIT_MS)
    return untilMs < Math.min(deadlineAtMs, nowMs + maxMs)
  })
}

/** The longest wait for a cooldown after which a target may still fail. */
const MAX_DOUBTFUL_WAIT_MS = 1_000

function isNamed(reason: Exclusion['reason']): boolean {
  return reason === 'rate-limited' || reason === 'overloaded'
}

function isFreedByOthers({ reason }: Exclusion): boolean {
  return reason === 'full' || reason === 'probing'
}

async function waitInQueue(
  input: AdmitInput,
  dependencies: AdmitDependencies & { readonly queue: RequestQueue },
): Promise<Admission> {
  const { exchange, times, callerConnection, deadlineAtMs } = input
  const { queue, clock } = dependencies
  let latest = input.plan
  let admitted: Admitted | undefined
  let interruption: Refused['outcome'] | undefined
  const waiting = queue.enqueue({
    group: groupOf(input),
    keyId: exchange.callerRequest.caller.keyId,
    deadlineAtMs,
    get wakeAtMs() {
      return findEarliestReturnMs(latest.excluded)
    },
    tryAdmit() {
      latest = plan(input, dependencies)
      const planned = { ...input, plan: latest }
      const opened = openSequence(planned, dependencies)
      if (isExhausted(opened)) return isWorthWaiting(planned, dependencies) ? 'wait' : 'hopeless'
      admitted = opened
      return 'admitted'
    },
  })
  const interrupt = (by: Refused['outcome']) => {
    interruption = by
    waiting.leave()
  }
  callerConnection.listen({
    onDrain: () => undefined,
    onGone: () => interrupt(callerGone),
    onStop: () => interrupt(shuttingDown()),
  })
  await waiting.outcome
  const nowMs = clock.monotonicMs()
  times.endWait(nowMs)
  if (admitted !== undefined) return admitted
  const hopeless = { type: 'failed', failure: explainExclusions(latest.excluded, nowMs) } as const
  return refuse(latest, interruption ?? hopeless)
}
