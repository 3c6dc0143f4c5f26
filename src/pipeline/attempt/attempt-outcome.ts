import type { Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { CallEnding } from '../exchange/call-ending.ts'
import type { ResponseWriter } from '../response/response-writer.ts'
import { type AnswerReader, emptyState } from './read-result.ts'

/** The amount of an answer that was shown. Its tokens can be estimated from it. */
export interface ShownAmount {
  /** The number of events that showed content. Each holds at least one token. */
  readonly pieces: number
  readonly characters: number
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
  /** The number of images that had begun, in a stream of images. */
  readonly made?: number | undefined
  /** Whether a stream had its reason to end. */
  readonly isGenerated?: boolean | undefined
}

/** The part of an upstream's answer that arrived, with its times since the start of the call. */
export type Reached =
  | UnansweredCall
  | ({ readonly at: 'head' } & AnsweredHead)
  /** A part of a stream was sent to the caller. */
  | ({ readonly at: 'stream'; readonly firstContentMs: number; readonly shown: ShownAmount } & AnsweredHead)
  /** An answer was sent to the caller in one piece. */
  | ({ readonly at: 'whole'; readonly firstContentMs: number } & AnsweredHead)

interface UnansweredCall {
  readonly at: 'nothing'
  /** Whether the whole request was sent. Before that, the provider cannot do or bill any work. */
  readonly isSent: boolean
}

interface AnsweredHead {
  readonly status: number
  readonly headMs: number
}

/** The phase of a call. */
export type CallPhase =
  /** No part of an answer has arrived. */
  | { readonly type: 'waiting'; readonly isSent: boolean }
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

export const sending: CallPhase = { type: 'waiting', isSent: false }

export function reachedBy(phase: CallPhase): Reached {
  if (phase.type === 'waiting') return { at: 'nothing', isSent: phase.isSent }
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
  const { usage, servedTier, losses, progress, shownCharacters, made, hasStopReason } =
    phase.type === 'waiting' ? emptyState : phase.reader.state
  return {
    ...ending,
    reached: reachedBy(phase),
    usage,
    servedTier,
    losses,
    totalMs,
    made,
    isGenerated: hasStopReason,
    amount: { pieces: progress, characters: shownCharacters },
  }
}

/** The headers of an answer, with its content type if that is not the usual one. */
export function withContentType(
  headers: Readonly<Record<string, string>>,
  phase: CallPhase,
): Readonly<Record<string, string>> {
  const type = phase.type === 'waiting' ? undefined : phase.reader.state.contentType
  return type === undefined ? headers : { ...headers, 'content-type': type }
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

/** Whether no provider received the call: its caller disconnected, or it failed, before the request was sent. */
export function isUnsent({ reached }: Pick<AttemptFacts, 'reached'>): boolean {
  return reached.at === 'nothing' && !reached.isSent
}

/** The status of the upstream; undefined where no answer has begun. */
export function statusOf({ reached }: AttemptOutcome): number | undefined {
  return reached.at === 'nothing' ? undefined : reached.status
}

/**
 * The end of a call in the words of the ledger. `wasShown` is true if the caller had seen a part of an answer before
 * the call, which then was made to complete it.
 */
export function endingOf(outcome: AttemptOutcome, wasShown: boolean): CallEnding {
  const { type, reached } = outcome
  switch (type) {
    case 'answered':
      return wasShown ? 'recovered' : 'whole'
    case 'failed':
      return reached.at === 'stream' && !wasShown ? 'cut' : 'failed'
    case 'caller-gone':
      if (isUnsent(outcome)) return 'not-made'
      return wasShown ? 'recovery-left' : 'caller-gone'
  }
}
