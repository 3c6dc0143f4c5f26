import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { UpstreamBody } from '../../upstream/upstream-body.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { WatchedReply } from '../../wire/watched-reply.ts'
import type { UpstreamError } from '../../wire/wire-format.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'

/** The way in which one call talks to its channel and passes the answer on: verbatim or translated. */
export interface Lane {
  readonly kind: 'verbatim' | 'translated'
  /** The path after the channel's base address, with the query. */
  readonly path: string
  /** The address to which the path belongs, if it is not the channel's. */
  readonly origin?: string | undefined
  /** The caller's headers that are passed on to the upstream. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: UpstreamBody
  /** The names of the upstream's headers that are passed on to the caller. A `*` at the end stands for any rest. */
  readonly answerHeaders: readonly string[]
  /** The losses in the translation of the request. */
  readonly losses: readonly Loss[]
  /** Called only where the caller may ask for a stream. `parser` cuts the stream's bytes into frames. */
  createStreamRelay(parser: FrameParser): StreamRelay
  /**
   * Reads a whole answer of the channel and returns the answer for the caller, with pauses if the answer is large. With
   * `replaysAsStream` the returned answer is a stream, since the upstream was asked for a stream and sent none.
   */
  readWhole(body: Buffer, replaysAsStream: boolean): Steps<WholeReply | Failure>
  /** Finds the usage of a whole answer that failed, since the provider bills it. Absent where none is looked for. */
  findFailedUsage?(body: Buffer): FailedUsage
  readonly whole: WholeContent
  readError(answer: UpstreamError): Failure
  /** The size limit of a whole answer. */
  readonly answerBound: AnswerBound
}

/** The kind of content of a whole answer. */
export type WholeContent =
  | { readonly type: 'json' }
  /** Text. An answer without any bytes is valid: the text of silence is empty. */
  | { readonly type: 'text' }
  /** Bytes, which are relayed as they arrive. An answer of another type is read as JSON. */
  | { readonly type: 'binary'; open(contentType: string): StreamRelay }

export const wholeJson: WholeContent = { type: 'json' }

export interface AnswerBound {
  readonly maxBytes: number
  /** Creates the error for a larger answer. */
  readonly refuse: () => Failure
}

/** The bound of a whole answer that holds content other than vectors. */
export function boundOfAnswer(maxBytes: number): AnswerBound {
  return {
    maxBytes,
    refuse: () =>
      createFailure('upstream_bad_response', {
        message: 'The model provider sent an answer that is larger than this gateway accepts.',
      }),
  }
}

export const conversationBound: AnswerBound = boundOfAnswer(32 * 1024 * 1024)

export interface WholeReply {
  readonly body: Buffer | string
  /** The content type, if it is not JSON. */
  readonly contentType?: string | undefined
  readonly usage: Usage | undefined
  /** The service tier, if the answer names one. */
  readonly servedTier?: ServedTier | undefined
  readonly losses: readonly Loss[]
  /**
   * The approximate number of characters of text, reasoning and tool inputs, from which output is estimated that the
   * usage does not count. Absent where the usage counts it, or where the model writes no text.
   */
  readonly shownCharacters?: number
}

/** The usage that a failed answer states, if it states any. */
export type FailedUsage = Pick<WatchedReply, 'usage' | 'servedTier'>

/**
 * An answer that needs several calls to one target. The calls are made one after the other, and their answers are
 * joined. It is never a stream.
 */
export interface SplitLane {
  readonly lanes: readonly Lane[]
  /** The losses in the translation of every call. */
  readonly losses: readonly Loss[]
  /** Joins the answers, once every lane has read its own. */
  join(): Steps<WholeReply | Failure>
}

/** One call to a target, or several whose answers are joined. */
export type LaneCalls =
  | { readonly type: 'call'; readonly lane: Lane }
  | { readonly type: 'calls'; readonly split: SplitLane }
