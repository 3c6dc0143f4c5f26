import { errorRow } from '../canonical/error-table.ts'
import { type Failure, GatewayError, isFailure } from '../canonical/failure.ts'
import { writeDollars } from '../canonical/money.ts'
import { countsSomething } from '../canonical/usage.ts'
import type { Candidate } from '../routing/candidate.ts'
import { answerLocally } from './answer-locally.ts'
import { mayRetryOnNewConnection } from './attempt/attempt-outcome.ts'
import type { MediaDependencies } from './attempt/fetch-media.ts'
import type { FetchedMedia } from './attempt/fetched-media.ts'
import { loadMedia } from './attempt/load-media.ts'
import {
  type CallingExchange,
  callTarget,
  type PlannedAttempt,
  type TargetCallDependencies,
} from './call-target.ts'
import type { CostOf } from './exchange/answer-cost.ts'
import type { ConversationExchange, Exchange, ForAttempt, TokenCountExchange } from './exchange/exchange.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import {
  isOpenedInSteps,
  type LaneDependencies,
  type OpenedLane,
  openLane,
  openLaneInSteps,
} from './lane/open-lane.ts'
import { runSteps } from './relay/answer-steps.ts'
import type { AttemptCharge } from './spending/attempt-charge.ts'
import { type ChargeDependencies, openAttemptCharge } from './spending/open-attempt-charge.ts'
import { restoreForTarget } from './stored-responses/restrict-plan.ts'

export interface TargetInput extends CallingExchange {
  readonly fetchedMedia: FetchedMedia
}

export interface TargetDependencies
  extends TargetCallDependencies,
    LaneDependencies,
    MediaDependencies,
    ChargeDependencies {}

/** The outcome of a target, or `over-budget` if a budget does not have room for its possible cost. */
export type TargetOutcome =
  | ExchangeOutcome
  | { readonly type: 'over-budget'; readonly failure: Failure; readonly fallback: string | undefined }

/** Calls one target: restores the data that the target needs, loads files, holds the cost, opens a lane and calls. */
export async function attemptTarget(
  given: TargetInput,
  { candidate, onNewConnection }: PlannedAttempt,
  dependencies: TargetDependencies,
): Promise<TargetOutcome> {
  const original = given.exchange
  const restored =
    original.kind === 'conversation' && original.prior !== undefined
      ? restoreForTarget(original, candidate, dependencies.reasoningContinuity.seal)
      : original
  const isInSteps = isOpenedInSteps(restored, candidate, dependencies)
  if (isInSteps) await runSteps(restored.readSteps(), dependencies.answerTurns)
  const loading = failTargetOnThrow(loadMedia, { ...given, exchange: restored }, candidate, dependencies)
  // Almost no request has files to load, so almost none waits here.
  const loaded = loading instanceof Promise ? await loading : loading
  if (isFailure(loaded)) return { type: 'failed', failure: loaded }
  if (loaded.type === 'caller-gone') return loaded
  const charging = openAttemptCharge(
    { exchange: loaded.exchange, candidate, attempt: given.attempts.nextNumber },
    dependencies,
  )
  const charged = charging instanceof Promise ? await charging : charging
  if (charged.type === 'refused') return { ...charged, type: 'over-budget' }
  const { charge, intend } = charged
  // `using` is slow, and this runs for every request (decision 0046).
  try {
    const exchange = fitToTarget(loaded.exchange, charge)
    if (exchange.kind === 'conversation') exchange.recorder?.chargeTo(() => charge.estimate)
    const opened =
      isInSteps && (exchange.kind === 'conversation' || exchange.kind === 'token-count')
        ? await openInSteps(exchange, candidate, dependencies)
        : failTargetOnThrow(openLane, exchange, candidate, dependencies)
    if (isFailure(opened)) return { type: 'failed', failure: opened }
    const input = { ...given, exchange }
    if (opened.type === 'answer') return answerLocally(input, candidate.publicName, opened.reply)
    const call = { candidate, opened, onNewConnection, charge, intend }
    const outcome = await callTarget(input, call, dependencies)
    return mayRetryOnNewConnection(outcome, input.writer)
      ? await callTarget(input, { ...call, onNewConnection: true }, dependencies)
      : outcome
  } finally {
    charge[Symbol.dispose]()
  }
}

/**
 * The exchange with the output cap that its budgets leave and, where the caller asks to see the cost, with the function
 * that prices its answer.
 */
function fitToTarget(exchange: Exchange, charge: AttemptCharge): ForAttempt<Exchange> {
  const { maxOutputTokens } = charge
  if (!exchange.showsCost) return { ...exchange, maxOutputTokens, costOf: undefined }
  const costOf: CostOf = ({ usage, servedTier }) => {
    // An answer that counts nothing is billed by an estimate, which is not known before its end.
    const cost = countsSomething(usage) ? charge.shownCostOf(usage, servedTier) : undefined
    return cost === undefined ? undefined : writeDollars(cost)
  }
  return { ...exchange, maxOutputTokens, costOf }
}

/**
 * Turns an error that concerns only this target (strict translation, for example) into a failure of the target, as if
 * the upstream had failed.
 */
function failTargetOnThrow<Input extends readonly unknown[], Value>(
  work: (...input: Input) => Value,
  ...input: Input
): Value | Failure {
  try {
    return work(...input)
  } catch (error) {
    return failureOfTarget(error)
  }
}

function failureOfTarget(error: unknown): Failure {
  if (error instanceof GatewayError && errorRow(error.failure.code).blame === 'caller') return error.failure
  throw error
}

async function openInSteps(
  exchange: ForAttempt<ConversationExchange | TokenCountExchange>,
  candidate: Candidate,
  dependencies: TargetDependencies,
): Promise<OpenedLane | Failure> {
  try {
    return await runSteps(openLaneInSteps(exchange, candidate, dependencies), dependencies.answerTurns)
  } catch (error) {
    return failureOfTarget(error)
  }
}
