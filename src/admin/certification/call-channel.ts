// The port through which a certification asks a channel. The composition root fills it with the ordinary pipeline.
import type { Loss, LossFeature } from '../../canonical/loss.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Usage } from '../../canonical/usage.ts'

/** The one channel and model that is asked. */
export interface CertifiedTarget {
  readonly channel: string
  readonly upstreamModel: string
  /** The public name under which the channel serves the model. */
  readonly model: string
}

/** The one on whose behalf it is asked. */
export interface CertifyingOperator {
  /** Undefined for the admin token and for services. */
  readonly user: string | undefined
  readonly address: string
}

/** A request of a check, without a model's name: that is the target's. */
export type ChannelCall =
  | {
      readonly type: 'conversation'
      readonly request: Omit<ChatRequest, 'model'>
      /** Features without which the answer says nothing: where the channel's request drops one, nothing is sent. */
      readonly needs: readonly LossFeature[]
      /** The same of features that must not be asked for in another manner either. */
      readonly needsExactly: readonly LossFeature[]
    }
  | { readonly type: 'embedding'; readonly texts: readonly string[] }
  | { readonly type: 'token-count'; readonly request: Omit<ChatRequest, 'model'> }

/** The result of a call. */
export type CallOutcome =
  /** Nothing was sent: the channel's format has no field or no endpoint for it. */
  | { readonly type: 'not-offered'; readonly losses: readonly Loss[] }
  | { readonly type: 'reply'; readonly reply: Reply; readonly stream: ObservedStream | undefined }
  | { readonly type: 'vectors'; readonly vectors: readonly (readonly number[])[] }
  | { readonly type: 'count'; readonly inputTokens: number }
  | {
      readonly type: 'failed'
      /** A code of the error table. */
      readonly code: string
      readonly message: string
      /** The status that the channel's provider gave; undefined where it was not asked or did not answer. */
      readonly upstreamStatus: number | undefined
    }
  | { readonly type: 'cancelled' }

/** The times at which the parts of a streamed answer came, in milliseconds from the request on. */
export interface ObservedStream {
  /** The time of each event that shows something of the answer, in their order. */
  readonly contentAtMs: readonly number[]
}

export interface ObservedCall {
  /** Undefined where nothing was sent. */
  readonly requestId: string | undefined
  readonly outcome: CallOutcome
  /** The usage of the ledger's row; undefined where none is known. */
  readonly usage: Usage | undefined
  /** The amount that the provider asks; undefined where the model has no price, or nothing was billed. */
  readonly cost: NanoDollars | undefined
  readonly totalMs: number
}

export interface AskedChannel {
  readonly target: CertifiedTarget
  readonly operator: CertifyingOperator
  readonly signal: AbortSignal
}

/**
 * Sends one request to one channel and model through the ordinary pipeline: budgets and rate limits apply, the ledger
 * and the request log have it under the key `internal:certification`. No other channel is asked where it fails. Texts
 * of failures hold no secret. Rejects only with faults of ours.
 */
export type CallChannel = (call: ChannelCall, asked: AskedChannel) => Promise<ObservedCall>
