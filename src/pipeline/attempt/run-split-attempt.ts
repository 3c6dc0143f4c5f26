import { createFailure, isFailure } from '../../canonical/failure.ts'
import { addUsage, type Usage } from '../../canonical/usage.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { unreachable } from '../../kit/errors/unreachable.ts'
import type { UpstreamRequest } from '../../upstream/upstream.ts'
import type { Lane, SplitLane } from '../lane/lane.ts'
import { runSteps } from '../relay/answer-steps.ts'
import { discardingWriter } from '../response/discarding-writer.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import { sendWhole } from '../response/send-whole.ts'
import { type AttemptDurability, type AttemptInput, notDurable } from './attempt-input.ts'
import {
  type AttemptOutcome,
  failedEnding,
  mayRetryOnNewConnection,
  type Reached,
} from './attempt-outcome.ts'
import { runAttempt } from './run-attempt.ts'

export interface SplitAttemptInput extends Omit<AttemptInput, 'lane' | 'request' | 'writer' | 'isStream'> {
  readonly split: SplitLane
  readonly writer: ResponseWriter
  buildRequest(lane: Lane): UpstreamRequest
}

/**
 * Calls one target several times, one call after the other, and sends the joined answer. The first call that fails ends
 * the attempt, since parts of two targets are never mixed.
 */
export async function runSplitAttempt(parts: SplitAttemptInput): Promise<AttemptOutcome> {
  const { split, writer, answerHeaders, deadlineAtMs, buildRequest, durability, costHeaders, ...common } =
    parts
  const { callerConnection } = common
  const startedAtMs = common.clock.monotonicMs()
  let last: AttemptOutcome | undefined
  let used: Usage | undefined
  let characters = 0
  for (const lane of split.lanes) {
    const isFirst: boolean = last === undefined
    if (last !== undefined && common.clock.monotonicMs() >= deadlineAtMs)
      return outOfTime({ ...last, usage: used }, common.clock.monotonicMs() - startedAtMs)
    const call = {
      ...common,
      answerHeaders,
      deadlineAtMs,
      lane,
      durability: durabilityOfPart(durability),
      isStream: false,
      writer: discardingWriter,
    }
    const request = buildRequest(lane)
    last = await runAttempt({ ...call, request })
    if (mayRetryOnNewConnection(last, writer))
      last = await runAttempt({ ...call, request: { ...request, onNewConnection: true } })
    const unfinished = { usage: used, reached: isFirst ? last.reached : reachedAfter(last.reached) }
    if (last.type === 'failed') return { ...last, ...unfinished, isStaleConnection: false }
    if (last.type === 'caller-gone') return { ...last, ...unfinished }
    used = addPart(used, last.usage)
    characters += last.amount?.characters ?? 0
  }
  if (last === undefined) throw new InvariantError('a split attempt needs a call')
  const whole = await runSteps(split.join(), common.answerTurns)
  const totalMs = common.clock.monotonicMs() - startedAtMs
  if (isFailure(whole)) return { ...last, ...failedEnding(whole), usage: used, totalMs }
  const reached = wholeAt(last.reached, totalMs)
  const amount = { pieces: 0, characters }
  const outcome = { ...last, usage: whole.usage, losses: whole.losses, reached, totalMs, amount }
  if (durability.type === 'strict' || durability.type === 'settled') await durability.settleBeforeEnd(outcome)
  const headers = { ...answerHeaders, ...costHeaders?.(outcome) }
  const sent = sendWhole({ writer, callerConnection }, { status: 200, headers, body: whole.body })
  return sent.type === 'answered' ? outcome : { ...outcome, ...sent, reached: headOf(reached) }
}

/**
 * Adds the usage of answered calls, although their answers are not shown. The usage of the call in progress is unknown.
 */
function addPart(used: Usage | undefined, part: Usage | undefined): Usage | undefined {
  if (part === undefined) return used
  return { ...(used === undefined ? part : addUsage(used, part)), isEstimated: true }
}

/** The progress of a call that followed answered calls, whose requests were sent even if its own was not. */
function reachedAfter(reached: Reached): Reached {
  return reached.at === 'nothing' ? { ...reached, isSent: true } : reached
}

function outOfTime(last: AttemptOutcome, totalMs: number): AttemptOutcome {
  const failure = createFailure('upstream_timeout')
  return { ...last, ...failedEnding(failure, 'timeout: the calls of one answer'), totalMs }
}

/** The durability of one of several calls. Only all calls together are settled. */
function durabilityOfPart(durability: AttemptDurability): AttemptDurability {
  switch (durability.type) {
    case 'strict':
      return { ...durability, type: 'intended' }
    case 'settled':
      return notDurable
    case 'none':
    case 'intended':
      return durability
    default:
      return unreachable(durability)
  }
}

/** The progress of a joined answer that is not sent. */
function headOf(reached: Reached): Reached {
  if (reached.at === 'nothing') return reached
  const { status, headMs } = reached
  return { at: 'head', status, headMs }
}

/** The progress of the joined answer, which is sent with the last call's. */
function wholeAt(reached: Reached, firstContentMs: number): Reached {
  return reached.at === 'nothing' ? reached : { ...reached, at: 'whole', firstContentMs }
}
