import { type Failure, isFailure } from '../../canonical/failure.ts'
import { estimateInputTokensInSteps } from '../../canonical/input-size/estimate-input-tokens.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { Steps } from '../../kit/async/steps.ts'
import { chooseVocabulary } from '../../providers/models/choose-vocabulary.ts'
import type { Provider } from '../../providers/provider.ts'
import type { ForAttempt, TokenCountExchange } from '../exchange/exchange.ts'
import type { Lane, WholeReply } from './lane.ts'
import { parseWatchedInSteps } from './read-whole-reply.ts'
import { refuseLosses } from './translated-call.ts'
import { writeVerbatimCall } from './verbatim-lane.ts'
import { createWholeLane } from './whole-lane.ts'

const estimated: readonly Loss[] = [{ feature: 'token-count', kind: 'approximated' }]

/** Whether the channel's provider counts tokens itself. */
export function countsTokens({ format }: TokenCountExchange, target: Target, provider: Provider): boolean {
  return target.channel.format === format.family && provider.endpoints?.countsTokens === true
}

/** Opens a call in which the provider counts the tokens. */
export function openTokenCountLane(
  exchange: ForAttempt<TokenCountExchange>,
  target: Target,
  provider: Provider,
): Lane {
  const { format } = exchange
  const call = writeVerbatimCall(exchange, { target, provider })
  return createWholeLane(call, (body) => readCount(body, format))
}

function* readCount(body: Buffer, format: TokenCountExchange['format']): Steps<WholeReply | Failure> {
  const parsed = yield* parseWatchedInSteps(body)
  if (isFailure(parsed)) return parsed
  const { failure } = format.watchReply(parsed.json)
  return failure ?? { body, usage: undefined, losses: [] }
}

/**
 * Answers with the gateway's own count for one model, by the upstream's name, marked as an estimate. Throws
 * `cannot_be_carried` where the request is strict.
 */
export function* estimateTokenCount(exchange: TokenCountExchange, upstreamModel: string): Steps<WholeReply> {
  const { format } = exchange
  if (exchange.isStrict) refuseLosses(estimated, format)
  yield* exchange.readSteps()
  const count = yield* estimateInputTokensInSteps(exchange.readRequest(), chooseVocabulary(upstreamModel))
  const body = JSON.stringify(format.writeCount(count))
  return { body, usage: undefined, losses: estimated }
}
