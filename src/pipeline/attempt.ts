import { permits } from '../access/permission.ts'
import { errorRow } from '../canonical/error-table.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { AttemptEnd, AttemptSequence } from '../routing/attempt-sequence.ts'
import type { Candidate } from '../routing/candidate.ts'
import { chooseFailure, type TargetFailure } from '../routing/choose-failure.ts'
import { explainExclusions } from '../routing/explain-exclusions.ts'
import { type AdmitDependencies, type Admitted, openSequence } from './admit.ts'
import { answerLocally } from './answer-locally.ts'
import { FetchedMedia } from './attempt/fetched-media.ts'
import { attemptTarget, type TargetDependencies, type TargetInput } from './attempt-target.ts'
import type { Exchange, TokenCountExchange } from './exchange/exchange.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import { estimateTokenCount } from './lane/token-count-lane.ts'
import { plan } from './plan.ts'
import { runSteps } from './relay/answer-steps.ts'

export interface TargetCallInput extends Omit<TargetInput, 'sequence' | 'fetchedMedia'> {
  /** The catalog of the request, which it keeps. */
  readonly catalog: Catalog
}

export type AttemptDependencies = TargetDependencies & AdmitDependencies

/**
 * The only loop over targets. An answer has gone out when it ends; a failure has not. Once something of an
 * answer is out no other may follow it, unless it repeats what is out.
 */
export async function attempt(
  input: TargetCallInput,
  { plan: planned, sequence, firstStep }: Omit<Admitted, 'type'>,
  dependencies: AttemptDependencies,
): Promise<ExchangeOutcome> {
  const { writer, callerConnection } = input
  const { clock, queue } = dependencies
  const failures: TargetFailure[] = []
  /** The failure that broke an answer of which the caller had seen a part. */
  let cut: Failure | undefined
  /** The model that the operator wrote for requests which a budget does not hold. */
  let fallback: string | undefined
  using fetchedMedia = new FetchedMedia()
  for (let step = firstStep; step.type !== 'end'; step = sequence.next(clock.monotonicMs())) {
    if (step.type === 'wait') {
      const interrupted = await waitForRepeat(step.waitMs, input, clock)
      if (interrupted === 'caller-gone') return { type: 'caller-gone' }
      if (interrupted === 'stopped') break
      continue
    }
    const { candidate } = step
    using slot = holdSlot({ sequence, clock, onFreed: () => queue?.wake() })
    const attempted = { candidate, onNewConnection: followsReset(candidate, failures.at(-1)) }
    const outcome = await attemptTarget({ ...input, sequence, fetchedMedia }, attempted, dependencies)
    if (outcome.type === 'over-budget') {
      slot.skip()
      failures.push({ target: candidate.target, failure: outcome.failure })
      fallback ??= outcome.fallback
      continue
    }
    slot.finish(outcome)
    if (outcome.type !== 'failed') return outcome
    failures.push({ target: candidate.target, failure: outcome.failure })
    if (writer.hasContent) cut ??= outcome.failure
    if (callerConnection.isGone) break
  }
  if (cut !== undefined) return { type: 'failed', failure: cut }
  const opened = callerConnection.isGone ? undefined : openFallback(input, fallback, dependencies)
  return opened === undefined
    ? await endWithoutAnswer({ ...input, plan: planned }, failures, dependencies)
    : await attempt(opened.input, opened.admitted, dependencies)
}

interface OpenedFallback {
  readonly input: TargetCallInput
  readonly admitted: Admitted
}

/** The same request for another model, where the key is granted it. One such change is made. */
function openFallback(
  input: TargetCallInput,
  model: string | undefined,
  dependencies: AttemptDependencies,
): OpenedFallback | undefined {
  const { exchange, catalog } = input
  const { caller, pin } = exchange.callerRequest
  if (model === undefined || pin !== undefined || exchange.isFallback) return undefined
  if (!permits(caller.permission, model)) return undefined
  const route = catalog.findRoute(model)
  if (route === undefined) return undefined
  const other = { ...exchange, route, isFallback: true } as const
  const asked = { ...input, exchange: other, plan: plan({ exchange: other, catalog }, dependencies) }
  return { input: asked, admitted: openSequence(asked, dependencies) }
}

export interface SlotOptions {
  readonly sequence: Pick<AttemptSequence, 'finish'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Called when another request may have the slot. */
  readonly onFreed: () => void
}

export interface Slot extends Disposable {
  /**
   * Gives the slot back with the outcome of the call. Without it the call threw, which says nothing of the upstream.
   */
  finish(outcome: ExchangeOutcome): void
  /** Gives the slot back of a target that was not asked. */
  skip(): void
}

/** The slot that the sequence took for a call, given back with what the call came to. */
export function holdSlot({ sequence, clock, onFreed }: SlotOptions): Slot {
  let isHeld = true
  const release = (end: AttemptEnd) => {
    if (!isHeld) return
    isHeld = false
    if (sequence.finish(end, clock.monotonicMs())) onFreed()
  }
  return {
    finish: (outcome) => release(outcome.type === 'caller-gone' ? { type: 'left' } : outcome),
    skip: () => release({ type: 'skipped' }),
    [Symbol.dispose]: () => release({ type: 'left' }),
  }
}

/** The other pooled connections to it may be as dead as the one that was reset. */
function followsReset({ target }: Candidate, last: TargetFailure | undefined): boolean {
  return last?.target === target && last.failure.code === 'upstream_disconnected'
}

/** Ends a request that no target answered: with the most informative failure, or an estimate where one will do. */
async function endWithoutAnswer(
  input: TargetCallInput & Pick<Admitted, 'plan'>,
  failures: readonly TargetFailure[],
  { clock, answerTurns }: Pick<AttemptDependencies, 'clock' | 'answerTurns'>,
): Promise<ExchangeOutcome> {
  const { exchange, plan, deadlineAtMs } = input
  if (mayEstimate(exchange, failures)) {
    const { publicName, targets } = exchange.route
    const model = plan.candidates[0]?.target.upstreamModel ?? targets[0]?.upstreamModel ?? publicName
    const reply = await runSteps(estimateTokenCount(exchange, model), answerTurns)
    return answerLocally(input, publicName, reply)
  }
  if (failures.length > 0) return { type: 'failed', failure: chooseFailure(failures) }
  const nowMs = clock.monotonicMs()
  const failure =
    nowMs >= deadlineAtMs ? createFailure('upstream_timeout') : explainExclusions(plan.excluded, nowMs)
  return { type: 'failed', failure }
}

/** A count that no provider would give, while none found fault with the request, is still worth an estimate. */
function mayEstimate(exchange: Exchange, failures: readonly TargetFailure[]): exchange is TokenCountExchange {
  return (
    exchange.kind === 'token-count' &&
    !exchange.isStrict &&
    failures.every(({ failure }) => ['upstream', 'operator'].includes(errorRow(failure.code).blame))
  )
}

/** Waits before a repeat, unless the caller leaves or the process must end. */
function waitForRepeat(
  waitMs: number,
  { callerConnection }: TargetCallInput,
  clock: Pick<Clock, 'startTimer'>,
): Promise<'waited' | 'caller-gone' | 'stopped'> {
  return new Promise((resolve) => {
    const timer = clock.startTimer(waitMs, () => resolve('waited'))
    const interrupt = (by: 'caller-gone' | 'stopped') => {
      timer.cancel()
      resolve(by)
    }
    callerConnection.listen({
      onDrain: () => undefined,
      onGone: () => interrupt('caller-gone'),
      onStop: () => interrupt('stopped'),
    })
  })
}
