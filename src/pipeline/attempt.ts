import { errorRow } from '../canonical/error-table.ts'
import { createFailure, type Failure } from '../canonical/failure.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { AttemptSequence } from '../routing/attempt-sequence.ts'
import type { Candidate } from '../routing/candidate.ts'
import { chooseFailure, type TargetFailure } from '../routing/choose-failure.ts'
import { explainExclusions } from '../routing/explain-exclusions.ts'
import type { RequestQueue } from '../routing/queue/request-queue.ts'
import type { Admitted } from './admit.ts'
import { FetchedMedia } from './attempt/load-media.ts'
import { answerHere, attemptTarget, type TargetDependencies, type TargetInput } from './attempt-target.ts'
import type { Exchange, TokenCountExchange } from './exchange/exchange.ts'
import type { ExchangeOutcome } from './exchange/exchange-record.ts'
import { estimateTokenCount } from './lane/token-count-lane.ts'

export type AttemptInput = Omit<TargetInput, 'sequence' | 'fetchedMedia'>

export interface AttemptDependencies extends TargetDependencies {
  readonly queue: Pick<RequestQueue, 'wake'> | undefined
}

/**
 * The only loop over targets. An answer has gone out when it ends; a failure has not. Once something of an answer is out
 * no other may follow it, unless it repeats what is out.
 */
export async function attempt(
  input: AttemptInput,
  { plan, sequence, firstStep }: Omit<Admitted, 'type'>,
  dependencies: AttemptDependencies,
): Promise<ExchangeOutcome> {
  const { writer, callerConnection } = input
  const { clock, queue } = dependencies
  const failures: TargetFailure[] = []
  /** What broke an answer that the caller had seen part of. */
  let cut: Failure | undefined
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
    slot.finish(outcome)
    if (outcome.type !== 'failed') return outcome
    failures.push({ target: candidate.target, failure: outcome.failure })
    if (writer.hasContent) cut ??= outcome.failure
    if (callerConnection.isGone) break
  }
  return cut === undefined
    ? endWithout({ ...input, plan }, failures, clock)
    : { type: 'failed', failure: cut }
}

export interface SlotOptions {
  readonly sequence: Pick<AttemptSequence, 'finish'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Another request may wait for the slot. */
  readonly onFreed: () => void
}

export interface Slot extends Disposable {
  /** Gives the slot back with the outcome of the call. Without it the call threw, which says nothing of the upstream. */
  finish(outcome: ExchangeOutcome): void
}

/** The slot that the sequence took for a call, given back with what the call came to. */
export function holdSlot({ sequence, clock, onFreed }: SlotOptions): Slot {
  let isHeld = true
  const finish = (outcome: ExchangeOutcome) => {
    if (!isHeld) return
    isHeld = false
    const end = outcome.type === 'caller-gone' ? ({ type: 'left' } as const) : outcome
    if (sequence.finish(end, clock.monotonicMs())) onFreed()
  }
  return { finish, [Symbol.dispose]: () => finish({ type: 'caller-gone' }) }
}

/** The other pooled connections to it may be as dead as the one that was reset. */
function followsReset({ target }: Candidate, last: TargetFailure | undefined): boolean {
  return last?.target === target && last.failure.code === 'upstream_disconnected'
}

/** No target answered: the failure that says most, or an estimate where one will do. */
function endWithout(
  input: AttemptInput & Pick<Admitted, 'plan'>,
  failures: readonly TargetFailure[],
  clock: Pick<Clock, 'monotonicMs'>,
): ExchangeOutcome {
  const { exchange, plan, deadlineAtMs } = input
  if (mayEstimate(exchange, failures)) {
    const { publicName, targets } = exchange.route
    const model = plan.candidates[0]?.target.upstreamModel ?? targets[0]?.upstreamModel ?? publicName
    return answerHere(input, publicName, estimateTokenCount(exchange, model))
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
  { callerConnection }: AttemptInput,
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
