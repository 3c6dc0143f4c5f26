import type { FormatId } from '../../canonical/format.ts'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'

/** A kind of request that the warm-up sends: a format of callers to a channel of a format, whole or as a stream. */
export interface WarmUpLane {
  readonly caller: FormatId
  readonly channel: FormatId
  readonly isStream: boolean
}

/** Sends requests of one lane, some at a time. */
export interface WarmUpBatch {
  readonly lane: WarmUpLane
  readonly requests: number
  /** Whether the connections to the gateway's upstream end afterwards, as they do when nobody asks for a while. */
  readonly endsConnections: boolean
}

/** The terms that the thread starts with. */
export interface WarmUpThreadTerms {
  /** The certificate of its upstream; undefined where the upstream speaks plain HTTP. */
  readonly identity: TlsIdentity | undefined
}

export type ToWarmUpThread =
  /** The address of the gateway that is asked. */
  | { readonly type: 'gateway'; readonly url: string; readonly secret: string }
  | { readonly type: 'batch'; readonly batch: WarmUpBatch }

export type FromWarmUpThread =
  /** The address of the thread's own upstream. */
  | { readonly type: 'listening'; readonly origin: string }
  | { readonly type: 'sent'; readonly failures: number }
