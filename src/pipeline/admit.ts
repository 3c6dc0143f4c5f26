import { createFailure } from '../canonical/failure.ts'
import type { RateLimit } from '../metering/rate-limit.ts'
import type { RateLease } from '../metering/rates/rate-limiter.ts'
import { AttemptSequence, type RoutingState, type Step } from '../routing/attempt-sequence.ts'
import { explainExclusions, findEarliestReturnMs } from '../routing/explain-exclusions.ts'
import type { Exclusion, Plan } from '../routing/plan-attempts.ts'
import type { RequestQueue } from '../routing/queue/request-queue.ts'
import type { RetryPolicy } from '../routing/retry-schema.ts'
import type { ExchangeOutcome, ExchangeRecord } from './exchange/exchange-record.ts'
import { type PlanDependencies, type PlanInput, plan } from './plan.ts'
import type { CallerConnection } from './response/caller-connection.ts'
import { type AcquiredRate, acquireRate, type RateWait } from './spending/acquire-rate.ts'
import type { Spending } from './spending/spending.ts'

export interface AdmitInput extends PlanInput {
  /** The plan at this moment. */
  readonly plan: Plan
  readonly rates: readonly RateLimit[]
  readonly record: Pick<ExchangeRecord, 'queueMs' | 'accountedAtMs' | 'plan'>
  readonly callerConnection: CallerConnection
  /** Takes what is given back when the request ends. */
  readonly holdLease: (lease: RateLease) => void
  /** The end of the request's deadline, by `Clock.monotonicMs`. */
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
  /** The plan under which the request was admitted: its first, or a later one where it waited. */
  readonly plan: Plan
  readonly sequence: AttemptSequence
  /** The first step of the sequence, taken already. */
  readonly firstStep: Step
}

export type Admission = Admitted | Exclude<ExchangeOutcome, { readonly type: 'answered' }>

/**
 * Lets the exchange make its first call, within its rate limits and the limits of what it may call. While everything is
 * cooling or full, it waits in the queue. Only what waits gets a promise (decision 0012).
 */
export function admit(input: AdmitInput, dependencies: AdmitDependencies): Admission | Promise<Admission> {
  if (input.rates.length === 0) return findTarget(input, dependencies)
  const acquired = acquireRate(input, dependencies.spending)
  return acquired.type === 'waits'
    ? waitForRate(acquired, input, dependencies)
    : admitWithRate(acquired, input, dependencies)
}

async function waitForRate(
  { outcome, leave }: RateWait,
  input: AdmitInput,
  dependencies: AdmitDependencies,
): Promise<Admission> {
  const { record, callerConnection } = input
  callerConnection.listen({ onDrain: () => undefined, onGone: leave, onStop: leave })
  const acquired = await outcome
  const nowMs = dependencies.clock.monotonicMs()
  record.queueMs += nowMs - record.accountedAtMs
  record.accountedAtMs = nowMs
  if (acquired.type !== 'left') return admitWithRate(acquired, input, dependencies)
  return callerConnection.isGone
    ? { type: 'caller-gone' }
    : { type: 'failed', failure: createFailure('shutting_down') }
}

function admitWithRate(
  acquired: AcquiredRate,
  input: AdmitInput,
  dependencies: AdmitDependencies,
): Admission | Promise<Admission> {
  if (acquired.type === 'failed') return acquired
  if (acquired.type === 'left') return { type: 'caller-gone' }
  input.holdLease(acquired.lease)
  return findTarget(input, dependencies)
}

function findTarget(input: AdmitInput, dependencies: AdmitDependencies): Admission | Promise<Admission> {
  const { exchange } = input
  const { queue } = dependencies
  const isBehindOthers = queue !== undefined && queue.size > 0 && queue.hasWaiting(exchange.route.publicName)
  const admitted = isBehindOthers ? undefined : openSequence(input, dependencies)
  if (admitted !== undefined && !isExhausted(admitted)) return admitted
  const mayWait = exchange.kind !== 'token-count' && isWorthWaiting(input, dependencies)
  if (queue !== undefined && mayWait) return waitInQueue(input, { ...dependencies, queue })
  // Where there is no call to make and no use in waiting, the loop over attempts says why.
  return admitted ?? openSequence(input, dependencies)
}

/** Opens the sequence, which holds what the first step takes of the limits. */
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
    ...(transcript && { mayRecover: () => transcript.hasStarted && transcript.isReproducible }),
  })
  return { type: 'admitted', plan, sequence, firstStep: sequence.next(clock.monotonicMs()) }
}

/** Whether nothing can be asked at this moment. */
function isExhausted({ firstStep }: Admitted): boolean {
  return firstStep.type === 'end' && firstStep.reason === 'exhausted'
}

/** Waiting helps where a slot gets free, a probe ends, or a cooldown is over in time. */
function isWorthWaiting(
  { plan, deadlineAtMs }: AdmitInput,
  { clock, queue }: Pick<AdmitDependencies, 'clock' | 'queue'>,
): boolean {
  const { excluded, candidates } = plan
  if (candidates.length > 0 || excluded.some(isFreedByOthers)) return true
  const nowMs = clock.monotonicMs()
  const waitMs = queue?.waitMs ?? 0
  return excluded.some(({ reason, untilMs = Number.POSITIVE_INFINITY }) => {
    // A provider that names the time is ready then; after failures nothing says so, and the caller can do other things.
    const maxMs = isNamed(reason) ? waitMs : Math.min(waitMs, MAX_DOUBTFUL_WAIT_MS)
    return untilMs < Math.min(deadlineAtMs, nowMs + maxMs)
  })
}

/** The longest wait for a cooldown after which a target may fail as before. */
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
  const { exchange, record, callerConnection, deadlineAtMs } = input
  const { queue, clock } = dependencies
  let latest = input.plan
  let admitted: Admitted | undefined
  let interruption: Admission | undefined
  const waiting = queue.enqueue({
    publicName: exchange.route.publicName,
    keyId: exchange.callerRequest.caller.keyId,
    deadlineAtMs,
    wakeAtMs: findEarliestReturnMs(latest.excluded),
    tryAdmit() {
      latest = plan(input, dependencies)
      const planned = { ...input, plan: latest }
      const opened = openSequence(planned, dependencies)
      if (isExhausted(opened)) return isWorthWaiting(planned, dependencies) ? 'wait' : 'hopeless'
      admitted = opened
      return 'admitted'
    },
  })
  const interrupt = (by: Admission) => {
    interruption = by
    waiting.leave()
  }
  callerConnection.listen({
    onDrain: () => undefined,
    onGone: () => interrupt({ type: 'caller-gone' }),
    onStop: () => interrupt({ type: 'failed', failure: createFailure('shutting_down') }),
  })
  await waiting.outcome
  const nowMs = clock.monotonicMs()
  record.queueMs += nowMs - record.accountedAtMs
  record.accountedAtMs = nowMs
  record.plan = latest
  return admitted ?? interruption ?? { type: 'failed', failure: explainExclusions(latest.excluded, nowMs) }
}
