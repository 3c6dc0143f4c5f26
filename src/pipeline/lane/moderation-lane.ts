import { type Failure, isFailure } from '../../canonical/failure.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { Provider } from '../../providers/provider.ts'
import { showCost } from '../exchange/answer-cost.ts'
import type { ForAttempt, ModerationExchange } from '../exchange/exchange.ts'
import type { Lane, WholeReply } from './lane.ts'
import { operationNotOffered } from './operation-not-offered.ts'
import { parseWatchedInSteps } from './read-whole-reply.ts'
import { writeVerbatimCall } from './verbatim-lane.ts'
import { createWholeLane } from './whole-lane.ts'

interface ModerationTarget {
  readonly target: Target
  readonly provider: Provider
}

/**
 * Opens a call that sends the caller's bytes and returns the verdicts unchanged. Throws if the target has no
 * moderation.
 */
export function openModerationLane(
  exchange: ForAttempt<ModerationExchange>,
  moderationTarget: ModerationTarget,
): Lane {
  const { target, provider } = moderationTarget
  if (target.channel.format !== exchange.format.family || provider.endpoints?.moderations !== true)
    throw operationNotOffered(exchange.scanned.model, 'moderations')
  const call = writeVerbatimCall(exchange, moderationTarget)
  return createWholeLane(call, (body) => readVerdicts(body, exchange))
}

function* readVerdicts(body: Buffer, exchange: ForAttempt<ModerationExchange>): Steps<WholeReply | Failure> {
  const parsed = yield* parseWatchedInSteps(body)
  if (isFailure(parsed)) return parsed
  const { failure, usage } = exchange.format.watchReply(parsed.json)
  if (failure !== undefined) return failure
  return { body: showCost(body, exchange, { usage, servedTier: undefined }), usage, losses: [] }
}
