import type { AttemptSequence } from '../routing/attempt-sequence.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { Redactor } from '../telemetry/redact.ts'
import type { Upstream } from '../upstream/upstream.ts'
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
import { runAttempt } from './attempt/run-attempt.ts'
import { runSplitAttempt } from './attempt/run-split-attempt.ts'
import type { AnswerBudget, AnswerTurns } from './exchange/answer-budget.ts'
import type { Exchange } from './exchange/exchange.ts'
import { findTimeouts, type TimeoutDependencies } from './find-timeouts.ts'
import type { Lane } from './lane/lane.ts'
import type { OpenedLane } from './lane/open-lane.ts'
import { writeAnswerHeaders, writeCostHeader } from './response/answer-headers.ts'
import type { CallerConnection } from './response/caller-connection.ts'
import type { DeadlineWatch } from './response/deadline-watch.ts'
import type { ResponseWriter } from './response/response-writer.ts'
import type { AttemptCharge, Spent } from './spending/attempt-charge.ts'
import type { Spending } from './spending/spending.ts'

/** An exchange, and what its calls need to reach its caller. */
export interface CallingExchange {
  readonly exchange: Exchange
  readonly sequence: Pick<AttemptSequence, 'recordContent' | 'hasOther'>
  readonly writer: ResponseWriter
  readonly callerConnection: CallerConnection
  readonly attempts: AttemptLog
  /** The deadline of the whole request, by `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

export interface TargetCallDependencies extends TimeoutDependencies {
  readonly spending: Spending
  readonly upstream: Upstream
  readonly redactor: Redactor
  readonly answerBudget: AnswerBudget
  readonly answerTurns: AnswerTurns
  readonly watch: DeadlineWatch
  /** The user agent of the call, such as `headgate/1.0.0`. */
  readonly userAgent: string
}

export interface PlannedAttempt {
  readonly candidate: Candidate
  /** Whether the call must use a new connection. */
  readonly onNewConnection: boolean
}

/** A call that is ready to be made. */
interface TargetCall extends PlannedAttempt {
  readonly charge: AttemptCharge
  /** Writes the intent of the attempt; undefined where the answer waits for none. */
  readonly intend: (() => Promise<void>) | undefined
  readonly opened: Exclude<OpenedLane, { type: 'answer' }>
}

/**
 * Makes one call to a target, settles its cost and adds it to the log of attempts. The cost is not settled if the call
 * is made once more on a new connection.
 */
export async function callTarget(
  input: CallingExchange,
  call: TargetCall,
  dependencies: TargetCallDependencies,
): Promise<AttemptOutcome> {
  const { exchange, writer, attempts } = input
  const { candidate, opened } = call
  const { clock, redactor } = dependencies
  const wasShown = writer.hasContent
  const called = await makeCall(input, call, dependencies)
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
      losses: outcome.losses.length === 0 ? lossesOf(opened) : [...lossesOf(opened), ...outcome.losses],
      isRecovered: isAnswered && wasShown,
    })
  return outcome
}

/** The writes that the answer waits for. An answer with an intent also gets checkpoints of its progress. */
function durabilityOf(
  input: CallingExchange,
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

function makeCall(
  input: CallingExchange,
  { candidate, opened, onNewConnection, charge, intend }: TargetCall,
  dependencies: TargetCallDependencies,
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
