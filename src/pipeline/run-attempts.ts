import { errorRow } from '../canonical/error-table.ts'
import { createFailure, type Failure, GatewayError, isFailure } from '../canonical/failure.ts'
import { nextTurn } from '../kit/time/clock.ts'
import type { AttemptSequence, Step } from '../routing/attempt-sequence.ts'
import type { Candidate } from '../routing/candidate.ts'
import { chooseFailure, type TargetFailure } from '../routing/choose-failure.ts'
import { explainExclusions } from '../routing/explain-exclusions.ts'
import type { AttemptOutcome } from './attempt/attempt-outcome.ts'
import { buildUpstreamRequest } from './attempt/build-upstream-request.ts'
import { loadMedia } from './attempt/load-media.ts'
import { type EndedAttempt, recordAttempt } from './attempt/record-attempt.ts'
import { retryOnFreshConnection } from './attempt/retry-on-fresh-connection.ts'
import { runAttempt } from './attempt/run-attempt.ts'
import { runSplitAttempt } from './attempt/run-split-attempt.ts'
import { usageOfAttempt } from './estimate-usage.ts'
import type { Exchange, TokenCountExchange } from './exchange/exchange.ts'
import type { ExchangeRecord } from './exchange/exchange-record.ts'
import { isLarge, runInTurns } from './exchange/read-in-turns.ts'
import { findPatience } from './find-patience.ts'
import type { Gateway } from './gateway.ts'
import type { Lane, WholeReply } from './lane/lane.ts'
import { type OpenedLane, openLane, stagesOf } from './lane/open-lane.ts'
import { estimateTokenCount } from './lane/token-count-lane.ts'
import type { CallerConnection } from './response/caller-connection.ts'
import type { ResponseWriter } from './response/response-writer.ts'
import { writeAnswerHeaders, writeLocalHeaders } from './response/write-answer-headers.ts'
import { restoreForTarget } from './stored-responses/restore-for-target.ts'
import { withSlot } from './with-slot.ts'

export interface AttemptsInput {
  readonly exchange: Exchange
  readonly sequence: AttemptSequence
  /** The first step, where it was taken already. */
  readonly firstStep: Step
  readonly writer: ResponseWriter
  readonly callerConnection: CallerConnection
  readonly record: ExchangeRecord
  readonly gateway: Gateway
  /** Of the whole request, of `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

/**
 * The only loop over targets. It ends with an answer, with the caller's leaving (both noted in the trace), or with the
 * failure to tell the caller. Once something of an answer is out no other may follow it (law 5), unless it says again
 * what is out.
 */
export async function runAttempts(input: AttemptsInput): Promise<Failure | undefined> {
  const { gateway, writer, record, sequence } = input
  const failures: TargetFailure[] = []
  /** What broke an answer that the caller had seen part of. */
  let cut: Failure | undefined
  for (let step = input.firstStep; step.type !== 'end'; step = sequence.next(gateway.clock.monotonicMs())) {
    if (step.type === 'wait') {
      if ((await waitFor(step.waitMs, input)) === 'interrupted') break
      continue
    }
    const { candidate } = step
    const place = { sequence, clock: gateway.clock, onFreed: () => gateway.line?.wake() }
    const attempt = { candidate, onNewConnection: followsReset(candidate, failures.at(-1)) }
    const failure = await withSlot(place, record, () => tryCandidate(input, attempt))
    if (failure === undefined) return undefined
    failures.push({ target: candidate.target, failure })
    if (writer.hasContent) cut ??= failure
    if (input.callerConnection.isGone) break
  }
  return record.callerLeft ? undefined : (cut ?? failureOfAll(input, failures))
}

/** The kept connections to it may be as dead as the one that was reset. */
function followsReset({ target }: Candidate, last: TargetFailure | undefined): boolean {
  return last?.target === target && last.failure.code === 'upstream_disconnected'
}

/** Undefined where an estimate was answered after all. */
function failureOfAll(input: AttemptsInput, failures: readonly TargetFailure[]): Failure | undefined {
  const { exchange, record, gateway } = input
  if (mayEstimate(exchange, failures)) {
    const { publicName, targets } = exchange.route
    const model = record.plan.candidates[0]?.target.upstreamModel ?? targets[0]?.upstreamModel ?? publicName
    return answerHere(input, publicName, estimateTokenCount(exchange, model))
  }
  if (failures.length > 0) return chooseFailure(failures)
  const nowMs = gateway.clock.monotonicMs()
  return nowMs >= input.deadlineAtMs
    ? createFailure('upstream_timeout')
    : explainExclusions(record.plan.excluded, nowMs)
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
function waitFor(
  waitMs: number,
  { gateway, callerConnection, record }: AttemptsInput,
): Promise<'waited' | 'interrupted'> {
  return new Promise((resolve) => {
    const timer = gateway.clock.startTimer(waitMs, () => resolve('waited'))
    const interrupt = (callerLeft: boolean) => {
      timer.cancel()
      record.callerLeft = callerLeft
      resolve('interrupted')
    }
    callerConnection.listen({
      onDrain: () => undefined,
      onGone: () => interrupt(true),
      onStop: () => interrupt(false),
    })
  })
}

interface PlannedAttempt {
  readonly candidate: Candidate
  /** Whether it must not use a connection that was used before. */
  readonly onNewConnection: boolean
}

/** Undefined where the caller got an answer or left. */
function tryCandidate(
  given: AttemptsInput,
  attempt: PlannedAttempt,
): Promise<Failure | undefined> | Failure | undefined {
  const { gateway } = given
  const exchange = restoreForTarget(given.exchange, attempt.candidate, gateway.reasoningContinuity.seal)
  const input = exchange === given.exchange ? given : { ...given, exchange }
  const stages = stagesOf(exchange, attempt.candidate, gateway)
  return stages.length === 0
    ? loadAndTry(input, attempt)
    : runInTurns(stages).then(() => loadAndTry(input, attempt))
}

function loadAndTry(
  input: AttemptsInput,
  attempt: PlannedAttempt,
): Promise<Failure | undefined> | Failure | undefined {
  const loading = tryToLoad(input, attempt.candidate)
  // Nearly every request has nothing to load, and waits for nothing.
  return loading instanceof Promise
    ? loading.then((loaded) => tryLoaded(input, attempt, loaded))
    : tryLoaded(input, attempt, loading)
}

function tryLoaded(
  input: AttemptsInput,
  attempt: PlannedAttempt,
  exchange: Exchange | Failure | 'left',
): Promise<Failure | undefined> | Failure | undefined {
  if (exchange === 'left') {
    input.record.callerLeft = true
    return undefined
  }
  if (isFailure(exchange)) return exchange
  return tryExchange(exchange === input.exchange ? input : { ...input, exchange }, attempt)
}

async function tryExchange(
  input: AttemptsInput,
  { candidate, onNewConnection: mustBeFresh }: PlannedAttempt,
): Promise<Failure | undefined> {
  const opened = tryToOpenLane(input, candidate)
  if (isFailure(opened)) return opened
  if (opened.type === 'answer') return answerHere(input, candidate.publicName, opened.reply)
  // A large body that was written for this target is encoded in a turn of its own.
  if (opened.type === 'call' && opened.lane.kind === 'translated' && isLarge(input.exchange.scanned))
    await nextTurn()
  const outcome = await retryOnFreshConnection(input.writer, (onNewConnection) =>
    runOnce(input, candidate, onNewConnection || mustBeFresh ? { ...opened, onNewConnection: true } : opened),
  )
  if (outcome.type === 'caller-gone') {
    input.record.callerLeft = true
    return undefined
  }
  return outcome.failure
}

/** A lane that cannot be opened (strict translation, say) fails this candidate alone, as an upstream would. */
function tryToOpenLane(input: AttemptsInput, candidate: Candidate): OpenedLane | Failure {
  return failingCandidate(() => openLane(input.exchange, candidate, input.gateway))
}

function tryToLoad(input: AttemptsInput, candidate: Candidate) {
  return failingCandidate(() => loadMedia(input, candidate))
}

function failingCandidate<Value>(open: () => Value): Value | Failure {
  try {
    return open()
  } catch (error) {
    if (error instanceof GatewayError && errorRow(error.failure.code).blame === 'caller') return error.failure
    throw error
  }
}

/** What is answered without a channel names none. */
function answerHere({ writer, record }: AttemptsInput, publicName: string, reply: WholeReply): undefined {
  const headers = writeLocalHeaders({ publicName, losses: reply.losses, attempts: record.attempts.length })
  writer.sendWhole({ status: 200, headers, body: reply.body })
  record.usage = reply.usage
  record.losses = reply.losses
}

type CallingLane = Exclude<OpenedLane, { type: 'answer' }> & { readonly onNewConnection?: true }

async function runOnce(
  input: AttemptsInput,
  candidate: Candidate,
  opened: CallingLane,
): Promise<AttemptOutcome> {
  const { exchange, gateway, writer, record } = input
  const lane = opened.type === 'call' ? opened.lane.kind : 'split'
  const wasShown = writer.hasContent
  const called = await callTarget(input, candidate, opened)
  const usage = usageOfAttempt(exchange, candidate.target, called)
  const endedAtMs = gateway.clock.monotonicMs()
  const ended: EndedAttempt = { candidate, lane, outcome: called, endedAtMs, usage }
  const outcome = recordAttempt(record, ended, gateway.redactor)
  if (outcome.type === 'answered') record.isRecovered = wasShown
  if (outcome.type === 'answered' || outcome.firstContentMs !== undefined)
    recordAnswer(input, candidate, { opened, outcome })
  return outcome
}

function callTarget(
  input: AttemptsInput,
  candidate: Candidate,
  opened: CallingLane,
): Promise<AttemptOutcome> {
  const { exchange, gateway, writer, callerConnection, record } = input
  const { provider } = opened
  const { losses } = opened.type === 'call' ? opened.lane : opened.split
  const buildRequest = (lane: Lane) =>
    buildUpstreamRequest({
      lane,
      candidate,
      provider,
      isStream: exchange.scanned.stream,
      userAgent: gateway.userAgent,
      onNewConnection: opened.onNewConnection,
    })
  const common = {
    timeouts: candidate.target.channel.timeouts,
    answerHeaders: writeAnswerHeaders({ candidate, losses, attempts: record.attempts.length + 1 }),
    upstream: gateway.upstream,
    redactor: gateway.redactor,
    answerBudget: gateway.answerBudget,
    answerTurns: gateway.answerTurns,
    writer,
    clock: gateway.clock,
    callerConnection,
    watch: gateway.watch,
    deadlineAtMs: input.deadlineAtMs,
    patience: () => findPatience(candidate.target, provider, input),
    onFirstContent: () => input.sequence.recordContent(gateway.clock.monotonicMs()),
  }
  if (opened.type === 'calls') return runSplitAttempt({ ...common, split: opened.split, buildRequest })
  const { lane } = opened
  return runAttempt({ ...common, lane, request: buildRequest(lane), isStream: exchange.scanned.stream })
}

interface Answered {
  readonly opened: CallingLane
  readonly outcome: AttemptOutcome
}

function recordAnswer(input: AttemptsInput, { target }: Candidate, { opened, outcome }: Answered): void {
  const { record, gateway, exchange } = input
  const { losses } = opened.type === 'call' ? opened.lane : opened.split
  record.channel = target.channel.name
  record.upstreamModel = target.upstreamModel
  record.losses = [...losses, ...outcome.losses]
  if (outcome.firstContentMs === undefined) return
  // What the caller saw first is not told by a later call.
  record.firstContentMs ??=
    gateway.clock.monotonicMs() -
    outcome.totalMs +
    outcome.firstContentMs -
    exchange.callerRequest.startedAtMs
}
