import { createFailure, type Failure } from '../canonical/failure.ts'
import type { Catalog } from '../catalog/catalog.ts'
import { AttemptSequence, type Step } from '../routing/attempt-sequence.ts'
import { explainExclusions, findSoonest } from '../routing/explain-exclusions.ts'
import { type Exclusion, type Plan, planAttempts } from '../routing/plan-attempts.ts'
import type { RequestQueue } from '../routing/queue/request-queue.ts'
import type { Exchange } from './exchange/exchange.ts'
import type { ExchangeRecord } from './exchange/exchange-record.ts'
import { findSession } from './exchange/find-session.ts'
import type { Gateway } from './gateway.ts'
import type { CallerConnection } from './response/caller-connection.ts'
import { restrictToConversationChannels } from './restrict-to-conversation-channels.ts'
import { restrictToResponseOwner } from './stored-responses/restrict-to-response-owner.ts'

export interface SequenceInput {
  readonly exchange: Exchange
  readonly catalog: Catalog
  readonly record: ExchangeRecord
  readonly callerConnection: CallerConnection
  readonly gateway: Gateway
  /** Of `Clock.monotonicMs`. */
  readonly deadlineAtMs: number
}

export interface OpenedSequence {
  readonly sequence: AttemptSequence
  readonly firstStep: Step
}

/** Undefined where the caller left. */
type Opening = OpenedSequence | Failure | undefined

/**
 * Plans what may be asked and takes the first step; where everything is cooling or full, it waits in line first. Gives
 * the failure where nothing came of that. Only who waits gets a promise: a turn of the queue costs more than the plan.
 */
export function openSequence(input: SequenceInput): Opening | Promise<Opening> {
  const { exchange, gateway, record } = input
  const { line } = gateway
  const isBehindOthers = line?.hasWaiting(exchange.route.publicName) === true
  const opened = isBehindOthers ? undefined : tryFirstStep(input)
  if (opened !== undefined) return opened
  if (isBehindOthers) record.plan = planNow(input)
  // Where nothing is asked and waiting is of no use, the loop over attempts says why.
  const mayWait = exchange.kind !== 'token-count' && isWorthWaiting(input)
  if (line === undefined || !mayWait) return planSequence(input)
  return waitInQueue(input, line)
}

export function planNow({
  exchange,
  catalog,
  record,
  gateway,
}: Omit<SequenceInput, 'callerConnection' | 'deadlineAtMs'>): Plan {
  const { routingState, random, turns, clock } = gateway
  const plan = planAttempts({
    route: exchange.route,
    catalog,
    nowMs: clock.monotonicMs(),
    isStream: record.isStream,
    facts: {
      health: routingState.health,
      inFlight: routingState.inFlight,
      latency: routingState.latency,
      random,
      nextTurn: turns.next,
    },
    session: findSession(exchange),
  })
  const prior = exchange.kind === 'conversation' ? exchange.prior : undefined
  return restrictToResponseOwner(restrictToConversationChannels(plan, exchange), prior)
}

/** Undefined where nothing can be asked at this moment; what it takes, it keeps. */
function tryFirstStep(input: SequenceInput): OpenedSequence | undefined {
  const opened = planSequence(input)
  const isWaiting = opened.firstStep.type === 'end' && opened.firstStep.reason === 'exhausted'
  return isWaiting ? undefined : opened
}

function planSequence(input: SequenceInput): OpenedSequence {
  const { exchange, record, gateway, deadlineAtMs } = input
  const { routingState, retry, random, clock } = gateway
  record.plan = planNow(input)
  const transcript = exchange.kind === 'conversation' ? exchange.transcript : undefined
  const sequence = new AttemptSequence({
    candidates: record.plan.candidates,
    routingState,
    policy: retry,
    random,
    isStream: record.isStream,
    deadlineAtMs,
    ...(transcript === undefined
      ? {}
      : { mayRecover: () => transcript.hasStarted && transcript.isReproducible }),
  })
  return { sequence, firstStep: sequence.next(clock.monotonicMs()) }
}

/** Waiting helps where a place gets free, a probe ends, or a cooldown is over in time. */
function isWorthWaiting({ record, gateway, deadlineAtMs }: SequenceInput): boolean {
  const { excluded, candidates } = record.plan
  if (candidates.length > 0 || excluded.some(isFreedByOthers)) return true
  const nowMs = gateway.clock.monotonicMs()
  const waitMs = gateway.line?.waitMs ?? 0
  return excluded.some(({ reason, untilMs = Number.POSITIVE_INFINITY }) => {
    // Whoever named the time is ready then; after failures nothing says so, and the caller can do other things meanwhile.
    const mostMs = isNamed(reason) ? waitMs : Math.min(waitMs, LONGEST_DOUBTFUL_WAIT_MS)
    return untilMs < Math.min(deadlineAtMs, nowMs + mostMs)
  })
}

/** The longest wait for a cooldown after which a target may fail as before. */
const LONGEST_DOUBTFUL_WAIT_MS = 1_000

function isNamed(reason: Exclusion['reason']): boolean {
  return reason === 'rate-limited' || reason === 'overloaded'
}

function isFreedByOthers({ reason }: Exclusion): boolean {
  return reason === 'full' || reason === 'probing'
}

async function waitInQueue(input: SequenceInput, line: RequestQueue): Promise<Opening> {
  const { exchange, record, callerConnection, gateway, deadlineAtMs } = input
  let opened: OpenedSequence | undefined
  let isStopping = false
  const waiting = line.enqueue({
    publicName: exchange.route.publicName,
    keyId: exchange.callerRequest.caller.keyId,
    deadlineAtMs,
    wakeAtMs: findSoonest(record.plan.excluded),
    tryAdmit() {
      opened = tryFirstStep(input)
      if (opened !== undefined) return 'admitted'
      return isWorthWaiting(input) ? 'wait' : 'hopeless'
    },
  })
  callerConnection.listen({
    onDrain: () => undefined,
    onGone() {
      record.callerLeft = true
      waiting.leave()
    },
    onStop() {
      isStopping = true
      waiting.leave()
    },
  })
  const outcome = await waiting.outcome
  const nowMs = gateway.clock.monotonicMs()
  record.queueMs = nowMs - record.accountedAtMs
  record.accountedAtMs = nowMs
  if (outcome === 'admitted') return opened
  if (record.callerLeft) return undefined
  if (isStopping) return createFailure('shutting_down')
  return explainExclusions(record.plan.excluded, nowMs)
}
