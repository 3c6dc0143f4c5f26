import type { ErrorCode } from '../../canonical/error-table.ts'
import { type Failure, GatewayError } from '../../canonical/failure.ts'
import type { ChannelFormatId } from '../../canonical/format.ts'
import { estimateInputTokens } from '../../canonical/input-size/estimate-input-tokens.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import { inputTokensOf, noUsage, type Usage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import { chooseVocabulary } from '../../providers/models/choose-vocabulary.ts'
import type { CallEnding } from '../exchange/call-ending.ts'
import { type Exchange, isMedia } from '../exchange/exchange.ts'
import { estimateMediaUsage, withUnits } from '../exchange/media-usage.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import { type AnswerReader, emptyState } from './read-result.ts'

/** The amount of an answer that was shown. Its tokens can be estimated from it. */
export interface ShownAmount {
  /** The number of events that showed content. Each holds at least one token. */
  readonly pieces: number
  readonly characters: number
}

const CHARACTERS_A_TOKEN = 4

/** Estimates the tokens of an answer whose usage the provider did not report. */
export function countShownTokens({ pieces, characters }: ShownAmount): number {
  return Math.max(pieces, Math.ceil(characters / CHARACTERS_A_TOKEN))
}

/** The facts of every call, whatever its end. */
interface AttemptFacts {
  readonly reached: Reached
  readonly usage: Usage | undefined
  /** The service tier; undefined where the answer names no tier. */
  readonly servedTier: ServedTier | undefined
  readonly losses: readonly Loss[]
  readonly totalMs: number
  /** The amount of the answer that was read, shown or not. Absent where nothing is known of its content. */
  readonly amount?: ShownAmount
}

/** The part of an upstream's answer that arrived, with its times since the start of the call. */
export type Reached =
  | { readonly at: 'nothing' }
  | ({ readonly at: 'head' } & AnsweredHead)
  /** A part of a stream was sent to the caller. */
  | ({ readonly at: 'stream'; readonly firstContentMs: number; readonly shown: ShownAmount } & AnsweredHead)
  /** An answer was sent to the caller in one piece. */
  | ({ readonly at: 'whole'; readonly firstContentMs: number } & AnsweredHead)

interface AnsweredHead {
  readonly status: number
  readonly headMs: number
}

/** The phase of a call. */
export type CallPhase =
  /** No part of an answer has arrived. */
  | { readonly type: 'waiting' }
  /** No part of the answer was shown. */
  | ({ readonly type: 'reading' } & ReadAnswer)
  /** A part of a stream was shown. */
  | ({ readonly type: 'streaming'; readonly firstContentMs: number } & ReadAnswer)
  /** A whole answer was sent completely. */
  | ({ readonly type: 'sent'; readonly firstContentMs: number } & ReadAnswer)

interface ReadAnswer {
  readonly status: number
  readonly headMs: number
  readonly reader: AnswerReader
}

export const waiting: CallPhase = { type: 'waiting' }

export function reachedBy(phase: CallPhase): Reached {
  if (phase.type === 'waiting') return { at: 'nothing' }
  const { status, headMs, reader } = phase
  if (phase.type === 'reading') return { at: 'head', status, headMs }
  const { firstContentMs } = phase
  if (phase.type === 'sent') return { at: 'whole', status, headMs, firstContentMs }
  const { progress: pieces, shownCharacters: characters } = reader.state
  return { at: 'stream', status, headMs, firstContentMs, shown: { pieces, characters } }
}

/** The amount shown of a stream; undefined where nothing was shown, or where the answer was sent in one piece. */
export function shownOf({ reached }: Pick<AttemptFacts, 'reached'>): ShownAmount | undefined {
  return reached.at === 'stream' ? reached.shown : undefined
}

/** The time to the first content that was sent to the caller; undefined where no content was sent. */
export function firstContentOf({ reached }: Pick<AttemptFacts, 'reached'>): number | undefined {
  return reached.at === 'stream' || reached.at === 'whole' ? reached.firstContentMs : undefined
}

export type AttemptEnding =
  | { readonly type: 'answered' }
  | {
      readonly type: 'failed'
      readonly failure: Failure
      /** The transport's own message, for the log; undefined where the failure says everything. */
      readonly cause: string | undefined
      /**
       * Whether the call may be sent once more on a new connection. This is so if the connection was reused and no byte
       * of an answer had arrived.
       */
      readonly isStaleConnection: boolean
    }
  | { readonly type: 'caller-gone' }

export function failedEnding(failure: Failure, cause?: string, isStaleConnection = false): AttemptEnding {
  return { type: 'failed', failure, cause, isStaleConnection }
}

export type AttemptOutcome = AttemptEnding & AttemptFacts

/** The outcome of a call, from its ending and its phase. */
export function describeAttempt(ending: AttemptEnding, phase: CallPhase, totalMs: number): AttemptOutcome {
  const { usage, servedTier, losses, progress, shownCharacters } =
    phase.type === 'waiting' ? emptyState : phase.reader.state
  const amount = { pieces: progress, characters: shownCharacters }
  return { ...ending, reached: reachedBy(phase), usage, servedTier, losses, totalMs, amount }
}

/**
 * Whether to retry the call on a new connection. A dead pooled connection says nothing about the upstream. There is no
 * retry once the caller has seen content.
 */
export function mayRetryOnNewConnection(
  outcome: AttemptOutcome,
  writer: Pick<ResponseWriter, 'hasContent'>,
): boolean {
  return outcome.type === 'failed' && outcome.isStaleConnection && !writer.hasContent
}

/** The status of the upstream; undefined where no answer has begun. */
export function statusOf({ reached }: AttemptOutcome): number | undefined {
  return reached.at === 'nothing' ? undefined : reached.status
}

/**
 * The end of a call in the words of the ledger. `wasShown` is true if the caller had seen a part of an answer before
 * the call, which then was made to complete it.
 */
export function endingOf({ type, reached }: AttemptOutcome, wasShown: boolean): CallEnding {
  switch (type) {
    case 'answered':
      return wasShown ? 'recovered' : 'whole'
    case 'failed':
      return reached.at === 'stream' && !wasShown ? 'cut' : 'failed'
    case 'caller-gone':
      return wasShown ? 'recovery-left' : 'caller-gone'
  }
}

/** The size up to which a request is read only for an estimate. */
const MAX_READ_BYTES = 1024 * 1024

/**
 * The usage that an attempt costs. An answer that broke off was paid for up to the break, whether its end reported
 * usage or not. Of a complete answer, output that the provider did not count is estimated, too.
 */
export function usageOfAttempt(
  exchange: Exchange,
  target: Target,
  outcome: AttemptOutcome,
): Usage | undefined {
  const { type, usage } = outcome
  const shown = shownOf(outcome)
  if (isMedia(exchange) && countsSomething(usage)) return withUnits(usage, exchange, target)
  if (type === 'answered') return usageOfWhole(exchange, target, outcome)
  return shown === undefined
    ? usage
    : estimateUsage(exchange, target.upstreamModel, { counted: usage, shown })
}

/** Whether usage counts tokens or units. Some servers state only zeros. */
export function countsSomething(usage: Usage | undefined): usage is Usage {
  if (usage === undefined) return false
  return inputTokensOf(usage) + usage.outputTokens > 0 || Object.keys(usage.toolCalls).length > 0
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
 * The usage of an attempt, or an estimate where a provider reported no usage and may still bill the call: the call was
 * sent and was not refused.
 */
export function billedUsage(exchange: Exchange, target: Target, outcome: AttemptOutcome): Usage | undefined {
  const usage = usageOfAttempt(exchange, target, outcome)
  if (usage !== undefined || !mayBeBilled(outcome)) return usage
  if (isMedia(exchange)) return estimateMediaUsage(exchange, target)
  return { ...noUsage, freshInputTokens: estimateInput(exchange, target.upstreamModel), isEstimated: true }
}

/** Whether the provider may bill the call. A provider bills no refusal, and no call that did not reach it. */
function mayBeBilled(outcome: AttemptOutcome): boolean {
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
  if (exchange.kind !== 'conversation' || length > MAX_READ_BYTES)
    return Math.ceil(length / CHARACTERS_A_TOKEN)
  const vocabulary = chooseVocabulary(upstreamModel)
  try {
    const counts = exchange.readRequests().map((request) => estimateInputTokens(request, vocabulary))
    return counts.reduce((sum, count) => sum + count, 0)
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    // A provider may accept fields that this implementation of its format refuses.
    return Math.ceil(length / CHARACTERS_A_TOKEN)
  }
}
