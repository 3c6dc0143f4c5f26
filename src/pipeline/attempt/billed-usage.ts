import type { ErrorCode } from '../../canonical/error-table.ts'
import { GatewayError } from '../../canonical/failure.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import { estimateInputTokens } from '../../canonical/input-size/estimate-input-tokens.ts'
import { SEARCH_UNIT, usageOfDocuments } from '../../canonical/operations/rerank.ts'
import { countsSomething, inputTokensOf, noUsage, tokensOfBytes, type Usage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import { chooseVocabulary } from '../../providers/models/choose-vocabulary.ts'
import {
  type Exchange,
  isMedia,
  isTokenCount,
  type MediaExchange,
  type RerankExchange,
} from '../exchange/exchange.ts'
import { billsUnit, estimateMediaUsage, withUnits } from '../exchange/media-usage.ts'
import { type AttemptOutcome, isUnsent, type ShownAmount, shownOf, statusOf } from './attempt-outcome.ts'
import { hasFinalUsage } from './left-caller.ts'

const CHARACTERS_A_TOKEN = 4

/** Estimates the tokens of an answer whose usage the provider did not report. */
export function countShownTokens({ pieces, characters }: ShownAmount): number {
  return Math.max(pieces, Math.ceil(characters / CHARACTERS_A_TOKEN))
}

/** The size up to which a request is read only for an estimate. */
const MAX_READ_BYTES = 1024 * 1024

/**
 * The usage that a provider reported, or an estimate from what the caller saw; undefined where neither is known. An
 * answer that broke off was paid for up to the break, whether its end reported usage or not. Of a complete answer,
 * output that the provider did not count is estimated, too.
 */
export function usageOfAttempt(
  exchange: Exchange,
  target: Target,
  outcome: AttemptOutcome,
): Usage | undefined {
  const { type, usage, made } = outcome
  const shown = shownOf(outcome)
  if (isTokenCount(exchange)) return undefined
  if (isMedia(exchange) && countsSomething(usage)) return usageOfMedia(exchange, target, { usage, made })
  if (type === 'answered' || hasFinalUsage(outcome)) return usageOfWhole(exchange, target, outcome)
  return shown === undefined
    ? usage
    : estimateUsage(exchange, target.upstreamModel, { counted: usage, shown })
}

/** The usage of images or sound. Of a stream that states none, only tokens or only units are billed. */
function usageOfMedia(
  exchange: MediaExchange,
  target: Target,
  { usage, made }: { readonly usage: Usage; readonly made: number | undefined },
): Usage {
  const isEstimate = usage.isEstimated && made !== undefined
  return isEstimate ? estimateMediaUsage(exchange, target, made) : withUnits(usage, exchange, target, made)
}

/**
 * The usage of a complete answer. Only answers of conversations have output that may be uncounted, and moderations cost
 * nothing.
 */
function usageOfWhole(
  exchange: Exchange,
  { upstreamModel, channel }: Target,
  { usage, amount: shown }: AttemptOutcome,
): Usage | undefined {
  if (exchange.kind === 'moderation') return usage
  if (exchange.kind !== 'conversation') return countsSomething(usage) ? usage : undefined
  if (shown === undefined) return usage
  const isCounted =
    usage?.isEstimated === false &&
    (usage.outputTokens > 0 || shown.characters === 0 || truthfulZeros.has(channel.format))
  return isCounted ? usage : estimateUsage(exchange, upstreamModel, { counted: usage, shown })
}

/**
 * Formats that count no output for text or calls that no model wrote: the message of a guardrail, and the calls of a
 * program that goes on (recordings of 2026).
 */
const truthfulZeros: ReadonlySet<ChannelFormatId> = new Set(['converse', 'responses'])

/**
 * The usage that an attempt is charged for. Where `usageOfAttempt` knows none, it is an estimate of the input, if the
 * provider may bill the call. No provider bills a count of tokens.
 */
export function billedUsage(exchange: Exchange, target: Target, outcome: AttemptOutcome): Usage | undefined {
  if (isTokenCount(exchange)) return outcome.type === 'failed' ? undefined : noUsage
  const usage = usageOfAttempt(exchange, target, outcome)
  if (usage !== undefined || !mayBeBilled(outcome)) return usage
  if (isMedia(exchange)) return estimateMediaUsage(exchange, target, outcome.made)
  const ranked = exchange.kind === 'rerank' ? estimateRanking(exchange, target) : undefined
  return (
    ranked ?? {
      ...noUsage,
      freshInputTokens: estimateInput(exchange, target.upstreamModel),
      isEstimated: true,
    }
  )
}

/** Estimates the search units of a ranking whose answer did not arrive; undefined where its tokens are billed. */
function estimateRanking(exchange: RerankExchange, target: Target): Usage | undefined {
  if (target.prices === undefined || !billsUnit(SEARCH_UNIT, target)) return undefined
  try {
    return usageOfDocuments(exchange.readRequest().documents.length)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    // A provider may accept documents of its own form. Every ranking is at least one unit.
    return usageOfDocuments(1)
  }
}

/** Whether the provider may bill the call. A provider bills no refusal, and no call that did not reach it. */
function mayBeBilled(outcome: AttemptOutcome): boolean {
  if (isUnsent(outcome)) return false
  const status = statusOf(outcome)
  if (status !== undefined && (status < 200 || status >= 300)) return false
  if (outcome.type !== 'failed') return true
  return billedFailures.has(outcome.failure.code)
}

/** Failures after which the model may have been at work. */
const billedFailures: ReadonlySet<ErrorCode> = new Set([
  'upstream_timeout',
  'upstream_disconnected',
  'upstream_bad_response',
  'upstream_empty',
])

/**
 * Estimates the usage of an answer that broke off or is not counted: the usage that the upstream has reported so far,
 * or at least the amount that was shown. Either is a lower bound. No model answers to an input of no tokens.
 */
function estimateUsage(
  exchange: Exchange,
  upstreamModel: string,
  { counted, shown }: { readonly counted: Usage | undefined; readonly shown: ShownAmount },
): Usage {
  const stated = counted ?? noUsage
  const hasInput = inputTokensOf(stated) > 0
  return {
    ...stated,
    freshInputTokens: hasInput ? stated.freshInputTokens : estimateInput(exchange, upstreamModel),
    outputTokens: Math.max(stated.outputTokens, countShownTokens(shown)),
    isEstimated: true,
  }
}

function estimateInput(exchange: Exchange, upstreamModel: string): number {
  const { length } = exchange.callerRequest.body
  if (exchange.kind !== 'conversation' || length > MAX_READ_BYTES) return tokensOfBytes(length)
  const vocabulary = chooseVocabulary(upstreamModel)
  try {
    const counts = exchange.readRequests().map((request) => estimateInputTokens(request, vocabulary))
    return counts.reduce((sum, count) => sum + count, 0)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    // A provider may accept fields that this implementation of its format refuses.
    return tokensOfBytes(length)
  }
}
