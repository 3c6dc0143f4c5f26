import { errorRow } from '../canonical/error-table.ts'
import { type Failure, GatewayError, isFailure } from '../canonical/failure.ts'
import { nextTurn } from '../kit/time/clock.ts'
import type { AttemptSequence } from '../routing/attempt-sequence.ts'
import type { Candidate } from '../routing/candidate.ts'
import type { Redactor } from '../telemetry/redact.ts'
import type { Upstream } from '../upstream/upstream.ts'
import type { AttemptOutcome } from './attempt/attempt-outcome.ts'
import { buildUpstreamRequest } from './attempt/build-upstream-request.ts'
import { type FetchedMedia, loadMedia, type MediaDependencies } from './attempt/load-media.ts'
import { type EndedAttempt, recordAttempt, usageOfAttempt } from './attempt/record-attempt.ts'
import { mayRetryOnNewConnection, runAttempt } from './attempt/run-attempt.ts'
import { runSplitAttempt } from './attempt/run-split-attempt.ts'
import type { AnswerBudget, AnswerTurns } from './exchange/answer-budget.ts'
import type { Exchange } from './exchange/exchange.ts'
import type { ExchangeOutcome, ExchangeRecord } from './exchange/exchange-record.ts'
import { isLarge, runInTurns } from './exchange/read-in-turns.ts'
import { findPatience, type PatienceDependencies } from './find-patience.ts'
import type { Lane, WholeReply } from './lane/lane.ts'
import { type LaneDependencies, type OpenedLane, openLane, stagesOf } from './lane/open-lane.ts'
import type { CallerConnection } from './response/caller-connection.ts'
import type { DeadlineWatch } from './response/deadline-watch.ts'
import type { ResponseWriter } from './response/response-writer.ts'
import { writeAnswerHeaders, writeLocalHeaders } from './response/response-writer.ts'
import { restoreForTarget } from './stored-responses/restrict-plan.ts'

export interface TargetInput {
  readonly exchange: Exchange
  readonly fetchedMedia: FetchedMedia
  readonly sequence: Pick<AttemptSequence, 'recordContent' | 'hasOther'>
  readonly writer: ResponseWriter
  readonly callerConnection: CallerConnection
  readonly record: ExchangeRecord
  /** Of the whole request, of `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

export interface TargetDependencies extends LaneDependencies, MediaDependencies, PatienceDependencies {
  readonly upstream: Upstream
  readonly redactor: Redactor
  readonly answerBudget: AnswerBudget
  readonly answerTurns: AnswerTurns
  readonly watch: DeadlineWatch
  /** Such as `headgate/1.0.0`. */
  readonly userAgent: string
}

export interface PlannedAttempt {
  readonly candidate: Candidate
  /** Whether it must not use a connection that was used before. */
  readonly onNewConnection: boolean
}

/** Asks one target: restores what it needs, loads files, opens a lane and calls. */
export async function attemptTarget(
  given: TargetInput,
  { candidate, onNewConnection }: PlannedAttempt,
  dependencies: TargetDependencies,
): Promise<ExchangeOutcome> {
  const restored = restoreForTarget(given.exchange, candidate, dependencies.reasoningContinuity.seal)
  const stages = stagesOf(restored, candidate, dependencies)
  if (stages.length > 0) await runInTurns(stages)
  const loading = failingTarget(loadMedia, { ...given, exchange: restored }, candidate, dependencies)
  // Nearly every request has nothing to load, and waits for nothing.
  const loaded = loading instanceof Promise ? await loading : loading
  if (isFailure(loaded)) return { type: 'failed', failure: loaded }
  if (loaded.type === 'caller-gone') return loaded
  const { exchange } = loaded
  const opened = failingTarget(openLane, exchange, candidate, dependencies)
  if (isFailure(opened)) return { type: 'failed', failure: opened }
  const input = { ...given, exchange }
  if (opened.type === 'answer') return answerHere(input, candidate.publicName, opened.reply)
  // A large body that was written for this target is encoded in a turn of its own.
  if (opened.type === 'call' && opened.lane.kind === 'translated' && isLarge(exchange.scanned))
    await nextTurn()
  const call = { candidate, opened, onNewConnection }
  const outcome = await callOnce(input, call, dependencies)
  return mayRetryOnNewConnection(outcome, input.writer)
    ? callOnce(input, { ...call, onNewConnection: true }, dependencies)
    : outcome
}

/** What cannot be done for this target alone (strict translation, say) fails it, as an upstream would. */
function failingTarget<Input extends readonly unknown[], Value>(
  work: (...input: Input) => Value,
  ...input: Input
): Value | Failure {
  try {
    return work(...input)
  } catch (error) {
    if (error instanceof GatewayError && errorRow(error.failure.code).blame === 'caller') return error.failure
    throw error
  }
}

/** An answer that no channel gave names none. */
export function answerHere(
  { writer, record }: Pick<TargetInput, 'writer' | 'record'>,
  publicName: string,
  reply: WholeReply,
): ExchangeOutcome {
  const headers = writeLocalHeaders({ publicName, losses: reply.losses, attempts: record.attempts.length })
  writer.sendWhole({ status: 200, headers, body: reply.body })
  record.usage = reply.usage
  record.losses = reply.losses
  return { type: 'answered' }
}

interface TargetCall extends PlannedAttempt {
  readonly opened: Exclude<OpenedLane, { type: 'answer' }>
}

async function callOnce(
  input: TargetInput,
  call: TargetCall,
  dependencies: TargetDependencies,
): Promise<AttemptOutcome> {
  const { exchange, writer, record } = input
  const { candidate, opened } = call
  const { clock, redactor } = dependencies
  const wasShown = writer.hasContent
  const called = await callTarget(input, call, dependencies)
  const usage = usageOfAttempt(exchange, candidate.target, called)
  const lane = opened.type === 'call' ? opened.lane.kind : 'split'
  const endedAtMs = clock.monotonicMs()
  const ended: EndedAttempt = { candidate, lane, outcome: called, endedAtMs, usage }
  const outcome = recordAttempt(record, ended, redactor)
  if (outcome.type === 'answered') record.isRecovered = wasShown
  if (outcome.type === 'answered' || outcome.firstContentMs !== undefined)
    recordAnswer(input, call, { outcome, endedAtMs })
  return outcome
}

function callTarget(
  input: TargetInput,
  { candidate, opened, onNewConnection }: TargetCall,
  dependencies: TargetDependencies,
): Promise<AttemptOutcome> {
  const { exchange, writer, callerConnection, record, deadlineAtMs, sequence } = input
  const { upstream, redactor, answerBudget, answerTurns, clock, watch, userAgent } = dependencies
  const { provider } = opened
  const isStream = exchange.scanned.stream
  const buildRequest = (lane: Lane) =>
    buildUpstreamRequest({ lane, candidate, provider, isStream, userAgent, onNewConnection })
  const common = {
    ...{ upstream, redactor, answerBudget, answerTurns, clock, watch },
    ...{ writer, callerConnection, deadlineAtMs },
    timeouts: candidate.target.channel.timeouts,
    answerHeaders: writeAnswerHeaders({
      candidate,
      losses: lossesOf(opened),
      attempts: record.attempts.length + 1,
    }),
    patience: () => findPatience({ exchange, sequence, target: candidate.target, provider }, dependencies),
    onFirstContent: () => sequence.recordContent(clock.monotonicMs()),
  }
  if (opened.type === 'calls') return runSplitAttempt({ ...common, split: opened.split, buildRequest })
  const { lane } = opened
  return runAttempt({ ...common, lane, request: buildRequest(lane), isStream })
}

function lossesOf(opened: TargetCall['opened']) {
  return opened.type === 'call' ? opened.lane.losses : opened.split.losses
}

function recordAnswer(
  { record, exchange }: TargetInput,
  { candidate: { target }, opened }: TargetCall,
  { outcome, endedAtMs }: { readonly outcome: AttemptOutcome; readonly endedAtMs: number },
): void {
  record.channel = target.channel.name
  record.upstreamModel = target.upstreamModel
  record.losses = [...lossesOf(opened), ...outcome.losses]
  if (outcome.firstContentMs === undefined) return
  // A later call does not change what the caller saw first.
  const startedAtMs = endedAtMs - outcome.totalMs
  record.firstContentMs ??= startedAtMs + outcome.firstContentMs - exchange.callerRequest.startedAtMs
}
