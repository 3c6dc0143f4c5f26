import type { FormatId } from '../../canonical/format.ts'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'

/** A kind of request that the warm-up sends: from a caller's format to a channel's format, streamed or not. */
export interface WarmUpLane {
  readonly caller: FormatId
  readonly channel: FormatId
  readonly isStream: boolean
}

/** An order to send requests of one lane, several at a time. */
export interface WarmUpBatch {
  readonly lane: WarmUpLane
  readonly requests: number
  /** Whether the gateway's connections to the upstream are closed afterwards, as after a time without requests. */
  readonly endsConnections: boolean
}

/** The settings with which the thread starts. */
export interface WarmUpThreadTerms {
  /** The certificate of the thread's upstream; undefined for an upstream with plain HTTP. */
  readonly identity: TlsIdentity | undefined
}

export type ToWarmUpThread =
  /** The address of the gateway to which the thread sends requests. */
  | { readonly type: 'gateway'; readonly url: string; readonly secret: string }
  | { readonly type: 'batch'; readonly batch: WarmUpBatch }

export type FromWarmUpThread =
  /** The address of the thread's own upstream. */
  | { readonly type: 'listening'; readonly origin: string }
  | { readonly type: 'sent'; readonly failures: number }
