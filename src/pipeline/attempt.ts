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

/** The input of the loop. `AttemptInput` is that of one call. */
export interface AttemptLoopInput extends Omit<TargetInput, 'sequence' | 'fetchedMedia'> {
  /** The catalog of the request. It stays the same until the request ends. */
  readonly catalog: Catalog
}

export type AttemptLoopDependencies = TargetDependencies & AdmitDependencies

/**
 * The only loop over targets. When it ends, an answer has been sent, but a failure has not. Once a part of an answer is
 * sent, no other answer may follow it, unless that answer repeats the part.
 */
export async function attempt(
  input: AttemptLoopInput,
  { plan: planned, sequence, firstStep }: Omit<Admitted, 'type'>,
  dependencies: AttemptLoopDependencies,
): Promise<ExchangeOutcome> {
  const { writer, callerConnection } = input
  const { clock, queue } = dependencies
  const failures: TargetFailure[] = []
  /** The failure that broke off an answer after the caller had seen a part of it. */
  let cut: Failure | undefined
  /** The fallback model that the operator configured for requests that do not fit into a budget. */
  let fallback: string | undefined
  const fetchedMedia = new FetchedMedia()
  const target = { ...input, sequence, fetchedMedia }
  let slot: Slot | undefined
  // `using` is slow, and this runs for every request (decision 0046).
  try {
    for (let step = firstStep; step.type !== 'end'; step = sequence.next(clock.monotonicMs())) {
      if (step.type === 'wait') {
        const interrupted = await waitForRetry(step.waitMs, input, clock)
        if (interrupted === 'caller-gone') return { type: 'caller-gone' }
        if (interrupted === 'stopped') break
        continue
      }
      const { candidate } = step
      slot = holdSlot({ sequence, clock, onFreed: () => queue?.wake() })
      const attempted = { candidate, onNewConnection: followsReset(candidate, failures.at(-1)) }
      const outcome = await attemptTarget(target, attempted, dependencies)
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
  } finally {
    slot?.[Symbol.dispose]()
    fetchedMedia[Symbol.dispose]()
  }
  if (cut !== undefined) return { type: 'failed', failure: cut }
  return continueUnanswered({ ...input, plan: planned }, { failures, fallback }, dependencies)
}

interface UnansweredLoop {
  readonly failures: readonly TargetFailure[]
  /** The fallback model of a budget that had no room for the request. */
  readonly fallback: string | undefined
}

/** Makes the same request to the fallback model where one may be called, and otherwise ends it. */
async function continueUnanswered(
  input: AttemptLoopInput & Pick<Admitted, 'plan'>,
  { failures, fallback }: UnansweredLoop,
  dependencies: AttemptLoopDependencies,
): Promise<ExchangeOutcome> {
  const opened = input.callerConnection.isGone ? undefined : openFallback(input, fallback, dependencies)
  return opened === undefined
    ? await endWithoutAnswer(input, failures, dependencies)
    : await attempt(opened.input, opened.admitted, dependencies)
}

interface OpenedFallback {
  readonly input: AttemptLoopInput
  readonly admitted: Admitted
}

/** Opens the same request for the fallback model, if the key grants that model. Only one such change is made. */
function openFallback(
  input: AttemptLoopInput,
  model: string | undefined,
  dependencies: AttemptLoopDependencies,
): OpenedFallback | undefined {
  const { exchange, catalog } = input
  const { caller, pin } = exchange.callerRequest
  if (model === undefined || pin !== undefined || exchange.isFallback) return undefined
  if (!permits(caller.permission, model)) return undefined
  const route = catalog.findRoute(model)
  if (route === undefined) return undefined
  const other = { ...exchange, route, isFallback: true } as const
  const fallback = { ...input, exchange: other, plan: plan({ exchange: other, catalog }, dependencies) }
  return { input: fallback, admitted: openSequence(fallback, dependencies) }
}

export interface SlotOptions {
  readonly sequence: Pick<AttemptSequence, 'finish'>
  readonly clock: Pick<Clock, 'monotonicMs'>
  /** Called when another request may use the slot. */
  readonly onFreed: () => void
}

export interface Slot extends Disposable {
  /**
   * Releases the slot with the outcome of the call. If this is not called, the call threw, which says nothing about the
   * upstream.
   */
  finish(outcome: ExchangeOutcome): void
  /** Releases the slot of a target that was not called. */
  skip(): void
}

/** Holds the slot that the sequence reserved for a call. The slot is released with the outcome of the call. */
export function holdSlot(options: SlotOptions): Slot {
  return new HeldSlot(options)
}

class HeldSlot implements Slot {
  readonly #options: SlotOptions
  #isHeld = true

  constructor(options: SlotOptions) {
    this.#options = options
  }

  finish(outcome: ExchangeOutcome): void {
    this.#release(outcome.type === 'caller-gone' ? { type: 'left' } : outcome)
  }

  skip(): void {
    this.#release({ type: 'skipped' })
  }

  [Symbol.dispose](): void {
    this.#release({ type: 'left' })
  }

  #release(end: AttemptEnd): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    const { sequence, clock, onFreed } = this.#options
    if (sequence.finish(end, clock.monotonicMs())) onFreed()
  }
}

/**
 * Whether the target's last call failed because its connection was reset. The other pooled connections to the target
 * may be dead, too.
 */
function followsReset({ target }: Candidate, last: TargetFailure | undefined): boolean {
  return last?.target === target && last.failure.code === 'upstream_disconnected'
}

/**
 * Ends a request that no target answered: with the most informative failure, or with an estimate if the request allows
 * one.
 */
async function endWithoutAnswer(
  input: AttemptLoopInput & Pick<Admitted, 'plan'>,
  failures: readonly TargetFailure[],
  { clock, answerTurns }: Pick<AttemptLoopDependencies, 'clock' | 'answerTurns'>,
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

/** Whether a token count may be estimated: no provider gave a count, and no provider found a fault in the request. */
function mayEstimate(exchange: Exchange, failures: readonly TargetFailure[]): exchange is TokenCountExchange {
  return (
    exchange.kind === 'token-count' &&
    !exchange.isStrict &&
    failures.every(({ failure }) => ['upstream', 'operator'].includes(errorRow(failure.code).blame))
  )
}

/** Waits before a retry. The wait ends early when the caller disconnects or the process must end. */
function waitForRetry(
  waitMs: number,
  { callerConnection }: AttemptLoopInput,
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
