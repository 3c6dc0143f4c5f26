// The port through which a certification asks a channel. The composition root fills it with the ordinary pipeline.
import type { Loss, LossFeature } from '../../canonical/loss.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import type { Reply } from '../../canonical/reply.ts'
import type { ChatRequest } from '../../canonical/request.ts'
import type { Usage } from '../../canonical/usage.ts'

/** The channel and the model that receive the request. */
export interface CertifiedTarget {
  readonly channel: string
  readonly upstreamModel: string
  /** The public name under which the channel serves the model. */
  readonly model: string
}

/** The user for whom the request is made. */
export interface CertifyingOperator {
  /** Undefined for the admin token and for services. */
  readonly user: string | undefined
  readonly address: string
}

/** A request of a check. It names no model, as the target determines the model. */
export type ChannelCall =
  | {
      readonly type: 'conversation'
      readonly request: Omit<ChatRequest, 'model'>
      /**
       * Features without which the response proves nothing. If the channel's request would drop one, nothing is sent.
       */
      readonly needs: readonly LossFeature[]
      /**
       * Features that must not be requested in another form either. If the channel's request would do that, nothing
       * is sent.
       */
      readonly needsExactly: readonly LossFeature[]
    }
  | { readonly type: 'embedding'; readonly texts: readonly string[] }
  | { readonly type: 'token-count'; readonly request: Omit<ChatRequest, 'model'> }

/** The result of a call. */
export type CallOutcome =
  /** Nothing was sent, as the channel's format has no field or no endpoint for the request. */
  | { readonly type: 'not-offered'; readonly losses: readonly Loss[] }
  | { readonly type: 'reply'; readonly reply: Reply; readonly stream: ObservedStream | undefined }
  | { readonly type: 'vectors'; readonly vectors: readonly (readonly number[])[] }
  | { readonly type: 'count'; readonly inputTokens: number }
  | {
      readonly type: 'failed'
      /** A code of the error table. */
      readonly code: string
      readonly message: string
      /** The status of the provider's response. Undefined if no request was sent or no response arrived. */
      readonly upstreamStatus: number | undefined
    }
  | { readonly type: 'cancelled' }

/** The times at which the parts of a streamed response arrived, in milliseconds since the request was sent. */
export interface ObservedStream {
  /** The time of each event that shows something of the answer, in their order. */
  readonly contentAtMs: readonly number[]
}

export interface ObservedCall {
  /** Undefined if nothing was sent. */
  readonly requestId: string | undefined
  readonly outcome: CallOutcome
  /** The usage in the ledger row. Undefined if the usage is not known. */
  readonly usage: Usage | undefined
  /** The provider's price of the call. Undefined if the model has no price, or nothing was billed. */
  readonly cost: NanoDollars | undefined
  readonly totalMs: number
}

export interface ChannelCallContext {
  readonly target: CertifiedTarget
  readonly operator: CertifyingOperator
  readonly signal: AbortSignal
}

/**
 * Sends one request to one channel and model through the ordinary pipeline. Budgets and rate limits apply, and the
 * ledger and the request log record it under the key `internal:certification`. If it fails, no other channel is
 * tried. Texts of failures hold no secret. Rejects only for internal errors.
 */
export type CallChannel = (call: ChannelCall, context: ChannelCallContext) => Promise<ObservedCall>
