import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { UpstreamBody } from '../../upstream/upstream-body.ts'
import type { FrameParser } from '../../wire/frame-parser.ts'
import type { UpstreamError } from '../../wire/wire-format.ts'
import type { StreamRelay } from '../relay/stream-relay.ts'

/** The way in which one call speaks to its channel and hands the answer on: verbatim or translated. */
export interface Lane {
  readonly kind: 'verbatim' | 'translated'
  /** The path below the channel's base address, with the query. */
  readonly path: string
  /** The address that the path lies below, where it is not the channel's. */
  readonly origin?: string | undefined
  /** The caller's headers that go on to the upstream. */
  readonly headers: Readonly<Record<string, string>>
  readonly body: UpstreamBody
  /** Names of the upstream's headers that go on to the caller; a `*` at the end stands for any rest. */
  readonly answerHeaders: readonly string[]
  /** The losses of the request on its way. */
  readonly losses: readonly Loss[]
  /** Called only where the caller may ask for a stream, whose bytes `parser` cuts into frames. */
  createStreamRelay(parser: FrameParser): StreamRelay
  /**
   * Reads a whole answer of the channel and gives the one for the caller, with pauses for an answer that is large.
   * With `replaysAsStream` that is a stream, since the upstream was asked for one and sent none.
   */
  readWhole(body: Buffer, replaysAsStream: boolean): Steps<WholeReply | Failure>
  readonly whole: WholeContent
  readError(answer: UpstreamError): Failure
  /** The bound of a whole answer. */
  readonly answerBound: AnswerBound
}

/** The content of a whole answer. */
export type WholeContent =
  | { readonly type: 'json' }
  /** An answer without any bytes is one, too, as the text of silence. */
  | { readonly type: 'text' }
  /** Bytes are relayed as they come; an answer of another type is read as JSON. */
  | { readonly type: 'binary'; open(contentType: string): StreamRelay }

export const wholeJson: WholeContent = { type: 'json' }

export interface AnswerBound {
  readonly maxBytes: number
  /** The error for an answer that is larger. */
  readonly refuse: () => Failure
}

/** The bound of a whole answer that holds content, and no vectors. */
export const conversationBound: AnswerBound = {
  maxBytes: 32 * 1024 * 1024,
  refuse: () =>
    createFailure('upstream_bad_response', {
      message: 'The model provider sent an answer that is larger than this gateway takes.',
    }),
}

export interface WholeReply {
  readonly body: Buffer | string
  /** The content type, where it is not JSON. */
  readonly contentType?: string | undefined
  readonly usage: Usage | undefined
  /** The service tier, where the answer names one. */
  readonly servedTier?: ServedTier | undefined
  readonly losses: readonly Loss[]
}

/** An answer that takes several calls of one target, made one after the other and joined. Never a stream. */
export interface SplitLane {
  readonly lanes: readonly Lane[]
  /** The losses of every call on its way. */
  readonly losses: readonly Loss[]
  /** The one answer, once every lane has read its own. */
  join(): Steps<WholeReply | Failure>
}
