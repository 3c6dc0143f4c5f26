import { errorRow } from '../canonical/error-table.ts'
import { type Failure, GatewayError, isFailure } from '../canonical/failure.ts'
import { writeDollars } from '../canonical/money.ts'
import { countsSomething } from '../canonical/usage.ts'
import type { AttemptSequence } from '../routing/attempt-sequence.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { Redactor } from '../telemetry/redact.ts'
import type { Upstream } from '../upstream/upstream.ts'
import { answerLocally } from './answer-locally.ts'
import { type AttemptDurability, type IntendedDurability, notDurable } from './attempt/attempt-input.ts'
import type { AttemptLog, EndedAttempt } from './attempt/attempt-log.ts'
import {
  type AttemptOutcome,
  endingOf,
  firstContentOf,
  mayRetryOnNewConnection,
} from './attempt/attempt-outcome.ts'
import { billedUsage, countShownTokens, usageOfAttempt } from './attempt/billed-usage.ts'
import { buildUpstreamRequest } from './attempt/build-upstream-request.ts'
import type { MediaDependencies } from './attempt/fetch-media.ts'
import type { FetchedMedia } from './attempt/fetched-media.ts'
import { loadMedia } from './attempt/load-media.ts'
import { runAttempt } from './attempt/run-attempt.ts'
import { runSplitAttempt } from './attempt/run-split-attempt.ts'
import type { AnswerBudget, AnswerTurns } from './exchange/answer-budget.ts'
import type { CostOf } from './exchange/answer-cost.ts'
import type { ConversationExchange, Exchange, ForAttempt, TokenCountExchange } from './exchange/exchange.ts'
import type { ExchangeOutcome } from './exchange/exchange-outcome.ts'
import { findTimeouts, type TimeoutDependencies } from './find-timeouts.ts'
import type { Lane } from './lane/lane.ts'
import {
  isOpenedInSteps,
  type LaneDependencies,
  type OpenedLane,
  openLane,
  openLaneInSteps,
} from './lane/open-lane.ts'
import { runSteps } from './relay/answer-steps.ts'
import { writeAnswerHeaders, writeCostHeader } from './response/answer-headers.ts'
import type { CallerConnection } from './response/caller-connection.ts'
import type { DeadlineWatch } from './response/deadline-watch.ts'
import type { ResponseWriter } from './response/response-writer.ts'
import type { AttemptCharge, Spent } from './spending/attempt-charge.ts'
import { type ChargeDependencies, openAttemptCharge } from './spending/open-attempt-charge.ts'
import { restoreForTarget } from './stored-responses/restrict-plan.ts'

export interface TargetInput {
  readonly exchange: Exchange
  readonly fetchedMedia: FetchedMedia
  readonly sequence: Pick<AttemptSequence, 'recordContent' | 'hasOther'>
  readonly writer: ResponseWriter
  readonly callerConnection: CallerConnection
  readonly attempts: AttemptLog
  /** The deadline of the whole request, by `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

export interface TargetDependencies
  extends LaneDependencies,
    MediaDependencies,
    TimeoutDependencies,
    ChargeDependencies {
  readonly upstream: Upstream
  readonly redactor: Redactor
  readonly answerBudget: AnswerBudget
  readonly answerTurns: AnswerTurns
  readonly watch: DeadlineWatch
  /** The user agent of the call, such as `headgate/1.0.0`. */
  readonly userAgent: string
}

/** The outcome of a target, or `over-budget` if a budget does not have room for its possible cost. */
export type TargetOutcome =
  | ExchangeOutcome
  | { readonly type: 'over-budget'; readonly failure: Failure; readonly fallback: string | undefined }

export interface PlannedAttempt {
  readonly candidate: Candidate
  /** Whether the call must use a new connection. */
  readonly onNewConnection: boolean
}

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
  using charge = charged.charge
  const { intend } = charged
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
  const outcome = await callOnce(input, call, dependencies)
  return mayRetryOnNewConnection(outcome, input.writer)
    ? await callOnce(input, { ...call, onNewConnection: true }, dependencies)
    : outcome
}

/**
 * The exchange with the output cap that its budgets leave and, where the caller asks to see the cost, with the function
 * that prices its answer.
 */
function fitToTarget(exchange: Exchange, charge: AttemptCharge): ForAttempt<Exchange> {
  const costOf: CostOf = ({ usage, servedTier }) => {
    // An answer that counts nothing is billed by an estimate, which is not known before its end.
    const cost = countsSomething(usage) ? charge.shownCostOf(usage, servedTier) : undefined
    return cost === undefined ? undefined : writeDollars(cost)
  }
  const { maxOutputTokens } = charge
  return { ...exchange, maxOutputTokens, costOf: exchange.showsCost ? costOf : undefined }
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

interface TargetCall extends PlannedAttempt {
  readonly charge: AttemptCharge
  readonly intend: (() => Promise<void>) | undefined
  readonly opened: Exclude<OpenedLane, { type: 'answer' }>
}

async function callOnce(
  input: TargetInput,
  call: TargetCall,
  dependencies: TargetDependencies,
): Promise<AttemptOutcome> {
  const { exchange, writer, attempts } = input
  const { candidate, opened } = call
  const { clock, redactor } = dependencies
  const wasShown = writer.hasContent
  const called = await callTarget(input, call, dependencies)
  const usage = usageOfAttempt(exchange, candidate.target, called)
  const lane = opened.type === 'call' ? opened.lane.kind : 'split'
  const endedAtMs = clock.monotonicMs()
  const isRepeated = !call.onNewConnection && mayRetryOnNewConnection(called, writer)
  const spent = isRepeated ? undefined : settleCharge(exchange, { ...call, wasShown }, called).amount
  const ended: EndedAttempt = { candidate, lane, outcome: called, endedAtMs, usage, spent }
  const outcome = attempts.add(ended, redactor)
  const firstContentMs = firstContentOf(outcome)
  if (firstContentMs !== undefined) attempts.sawContent(endedAtMs - outcome.totalMs + firstContentMs)
  const isAnswered = outcome.type === 'answered'
  if (isAnswered || firstContentMs !== undefined)
    attempts.answeredBy({
      type: 'target',
      target: candidate.target,
      losses: [...lossesOf(opened), ...outcome.losses],
      isRecovered: isAnswered && wasShown,
    })
  return outcome
}

/** The writes that the answer waits for. An answer with an intent also gets checkpoints of its progress. */
function durabilityOf(
  input: TargetInput,
  { candidate, charge, intend }: Pick<TargetCall, 'candidate' | 'charge' | 'intend'>,
  isStrict: boolean,
): AttemptDurability {
  if (intend === undefined) return notDurable
  const intendAndFollow: IntendedDurability['intend'] = (readShown) => {
    charge.follow(() => {
      const shown = readShown()
      return shown === undefined ? 0 : countShownTokens(shown)
    })
    return intend()
  }
  const hurry = () => charge.hurry()
  const { exchange, writer } = input
  const wasShown = writer.hasContent
  if (!isStrict) return { type: 'intended', intend: intendAndFollow, hurry }
  const settleBeforeEnd = (outcome: AttemptOutcome) =>
    settleCharge(exchange, { candidate, charge, wasShown }, outcome).durable
  return { type: 'strict', intend: intendAndFollow, hurry, settleBeforeEnd }
}

interface SettledCall extends Pick<TargetCall, 'candidate' | 'charge'> {
  /** Whether the caller had seen a part of an answer before the call. */
  readonly wasShown: boolean
}

/** Settles the cost of an answer or of a part of it. A call that showed nothing costs nothing. */
function settleCharge(
  exchange: Exchange,
  { candidate, charge, wasShown }: SettledCall,
  outcome: AttemptOutcome,
): Spent {
  return charge.settle({
    usage: billedUsage(exchange, candidate.target, outcome),
    servedTier: outcome.servedTier,
    ending: endingOf(outcome, wasShown),
  })
}

function callTarget(
  input: TargetInput,
  { candidate, opened, onNewConnection, charge, intend }: TargetCall,
  dependencies: TargetDependencies,
): Promise<AttemptOutcome> {
  const { exchange, writer, callerConnection, attempts, deadlineAtMs, sequence } = input
  const { spending, upstream, redactor, answerBudget, answerTurns, clock, watch, userAgent } = dependencies
  const { provider } = opened
  const isStream = exchange.scanned.isStream
  const buildRequest = (lane: Lane) =>
    buildUpstreamRequest({ lane, candidate, provider, isStream, userAgent, onNewConnection })
  const common = {
    upstream,
    redactor,
    answerBudget,
    answerTurns,
    clock,
    watch,
    writer,
    callerConnection,
    deadlineAtMs,
    timeouts: candidate.target.channel.timeouts,
    answerHeaders: writeAnswerHeaders({
      candidate,
      losses: lossesOf(opened),
      maxOutputTokens: charge.maxOutputTokens,
      attempts: attempts.nextNumber,
    }),
    durability: durabilityOf(input, { candidate, charge, intend }, spending.isStrict),
    costHeaders: (answered: AttemptOutcome) => {
      const usage = billedUsage(exchange, candidate.target, answered)
      return writeCostHeader(charge.shownCostOf(usage, answered.servedTier))
    },
    attemptTimeouts: () =>
      findTimeouts({ exchange, sequence, target: candidate.target, provider }, dependencies),
    onFirstContent: () => sequence.recordContent(clock.monotonicMs()),
  }
  if (opened.type === 'calls') return runSplitAttempt({ ...common, split: opened.split, buildRequest })
  const { lane } = opened
  return runAttempt({ ...common, lane, request: buildRequest(lane), isStream })
}

function lossesOf(opened: TargetCall['opened']) {
  return opened.type === 'call' ? opened.lane.losses : opened.split.losses
}
