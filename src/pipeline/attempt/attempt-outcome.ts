import type { ErrorCode } from '../../canonical/error-table.ts'
import { type Failure, GatewayError } from '../../canonical/failure.ts'
import { estimateInputTokens } from '../../canonical/input-size/estimate-input-tokens.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import { noUsage, type Usage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import { chooseVocabulary } from '../../providers/models/choose-vocabulary.ts'
import type { CallEnding } from '../exchange/call-ending.ts'
import { type Exchange, isMedia } from '../exchange/exchange.ts'
import { estimateMediaUsage, withUnits } from '../exchange/media-usage.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import { type AnswerReader, emptyState } from './read-result.ts'

/** The amount of an answer that was shown, by which its tokens can be estimated. */
export interface ShownAmount {
  /** Events that showed something; each holds at least a token. */
  readonly pieces: number
  readonly characters: number
}

const CHARACTERS_A_TOKEN = 4

/** An estimate for answers whose usage the provider did not report. */
export function countShownTokens({ pieces, characters }: ShownAmount): number {
  return Math.max(pieces, Math.ceil(characters / CHARACTERS_A_TOKEN))
}

/** The facts of every call, however it ended. */
interface AttemptFacts {
  readonly reached: Reached
  readonly usage: Usage | undefined
  /** The service tier; undefined where the answer names none. */
  readonly servedTier: ServedTier | undefined
  readonly losses: readonly Loss[]
  readonly totalMs: number
}

/** The part of an upstream's answer that came, with its times since the start of the call. */
export type Reached =
  | { readonly at: 'nothing' }
  | ({ readonly at: 'head' } & AnsweredHead)
  /** Something of a stream went to the caller. */
  | ({ readonly at: 'stream'; readonly firstContentMs: number; readonly shown: ShownAmount } & AnsweredHead)
  /** An answer went to the caller in one piece. */
  | ({ readonly at: 'whole'; readonly firstContentMs: number } & AnsweredHead)

interface AnsweredHead {
  readonly status: number
  readonly headMs: number
}

/** The way of a call so far. */
export type CallPhase =
  /** Nothing of an answer has come. */
  | { readonly type: 'waiting' }
  /** Nothing of the answer was shown. */
  | ({ readonly type: 'reading' } & ReadAnswer)
  /** Something of a stream was shown. */
  | ({ readonly type: 'streaming'; readonly firstContentMs: number } & ReadAnswer)
  /** All of an answer that came whole was sent. */
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

/** The amount shown of a stream; undefined where nothing was, or all of an answer at once. */
export function shownOf({ reached }: Pick<AttemptFacts, 'reached'>): ShownAmount | undefined {
  return reached.at === 'stream' ? reached.shown : undefined
}

/** The time to the first content that went to the caller; undefined where none did. */
export function firstContentOf({ reached }: Pick<AttemptFacts, 'reached'>): number | undefined {
  return reached.at === 'stream' || reached.at === 'whole' ? reached.firstContentMs : undefined
}

export type AttemptEnding =
  | { readonly type: 'answered' }
  | {
      readonly type: 'failed'
      readonly failure: Failure
      /** The transport's own message, for the log; undefined where the failure says all. */
      readonly cause: string | undefined
      /**
       * Whether the call may be sent once more on a new connection, since no byte of an answer had come on a reused
       * one.
       */
      readonly isStaleConnection: boolean
    }
  | { readonly type: 'caller-gone' }

/** A failure for another reason than that the connection was stale. */
export function failedEnding(failure: Failure, cause?: string): AttemptEnding {
  return { type: 'failed', failure, cause, isStaleConnection: false }
}

export type AttemptOutcome = AttemptEnding & AttemptFacts

/** The outcome of a call, by how far it got. */
export function describeAttempt(ending: AttemptEnding, phase: CallPhase, totalMs: number): AttemptOutcome {
  const { usage, servedTier, losses } = phase.type === 'waiting' ? emptyState : phase.reader.state
  return { ...ending, reached: reachedBy(phase), usage, servedTier, losses, totalMs }
}

/** A call on a dead pooled connection is no evidence about the upstream. No retry once the caller has seen content. */
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

/** The end of a call, as the ledger names it. `hasShownContent`: the caller has seen something of an answer. */
export function endingOf({ type, reached }: AttemptOutcome, hasShownContent: boolean): CallEnding {
  switch (type) {
    case 'answered':
      return hasShownContent && reached.at !== 'stream' ? 'recovered' : 'whole'
    case 'failed':
      return reached.at === 'stream' ? 'cut' : 'failed'
    case 'caller-gone':
      return 'caller-gone'
  }
}

/** A longer request is not read for this alone. */
const MAX_READ_BYTES = 1024 * 1024

/** The usage that an attempt costs. What broke off was paid for up to its break, whether its end was counted or not. */
export function usageOfAttempt(
  exchange: Exchange,
  target: Target,
  outcome: AttemptOutcome,
): Usage | undefined {
  const { type, usage } = outcome
  const shown = shownOf(outcome)
  if (isMedia(exchange) && usage !== undefined) return withUnits(usage, exchange, target)
  if (type === 'answered' || shown === undefined) return usage
  return estimateUsage(exchange, target.upstreamModel, { counted: usage, shown })
}

/**
 * The usage of an attempt, and of what a provider may bill though it named no usage: a call that was sent and never
 * refused.
 */
export function billedUsage(exchange: Exchange, target: Target, outcome: AttemptOutcome): Usage | undefined {
  const usage = usageOfAttempt(exchange, target, outcome)
  if (usage !== undefined || !mayBeBilled(outcome)) return usage
  if (isMedia(exchange)) return estimateMediaUsage(exchange, target)
  return { ...noUsage, freshInputTokens: estimateInput(exchange, target.upstreamModel), isEstimated: true }
}

/** Whether the provider may bill the call: it bills no refusal, and nothing that never reached it. */
function mayBeBilled(outcome: AttemptOutcome): boolean {
  const status = statusOf(outcome)
  if (status !== undefined && (status < 200 || status >= 300)) return false
  if (outcome.type !== 'failed') return true
  return billedFailures.has(outcome.failure.code)
}

/** Failures before which the model was at work, or may have been. */
const billedFailures: ReadonlySet<ErrorCode> = new Set([
  'upstream_timeout',
  'upstream_disconnected',
  'upstream_bad_response',
  'upstream_empty',
])

/**
 * Estimates the usage of an answer that broke off: what the upstream has counted so far, and at least what was shown.
 */
function estimateUsage(
  exchange: Exchange,
  upstreamModel: string,
  { counted, shown }: { readonly counted: Usage | undefined; readonly shown: ShownAmount },
): Usage {
  const outputTokens = countShownTokens(shown)
  if (counted !== undefined && counted.outputTokens >= outputTokens) return counted
  const known = counted ?? { ...noUsage, freshInputTokens: estimateInput(exchange, upstreamModel) }
  return { ...known, outputTokens, isEstimated: true }
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
    // A provider may take what the format as it is known here does not.
    return Math.ceil(length / CHARACTERS_A_TOKEN)
  }
}
