import type { ChannelFormatId } from '../canonical/format.ts'
import { HOUR_MS } from '../kit/time/time-units.ts'
import type { PassthroughRule } from './passthrough.ts'
import type { PriceHistory } from './prices/price.ts'

/** One of our secrets at a provider. A channel may have several, which are used in turn. */
export interface Credential {
  /** Identifies the credential in logs without showing it: the channel's name and its index in the list. */
  readonly id: string
  readonly secret: string
}

/** The timeout of each phase of a call, in milliseconds. */
export interface Timeouts {
  /** The timeout until the socket is open, including the name look-up. */
  readonly connectMs: number
  /** The timeout of the TLS handshake. */
  readonly tlsMs: number
  /**
   * The timeout from the request's last byte to a stream's status line. Undefined where Headgate chooses the timeout.
   */
  readonly headersMs: number | undefined
  /**
   * The timeout from the request's last byte to the status line of an answer that is not streamed. Such an answer takes
   * as long as the model thinks.
   */
  readonly wholeHeadersMs: number
  /** The timeout from dispatch to the first event with content. Undefined where Headgate chooses the timeout. */
  readonly firstContentMs: number | undefined
  /** The timeout between two bytes. Undefined where Headgate chooses the timeout. */
  readonly idleMs: number | undefined
  /** The timeout between two events of a stream that show part of the answer. Pings do not count as progress. */
  readonly progressMs: number
  readonly totalMs: number
}

export const defaultTimeouts: Timeouts = {
  connectMs: 3_000,
  tlsMs: 5_000,
  headersMs: undefined,
  wholeHeadersMs: 600_000,
  firstContentMs: undefined,
  idleMs: undefined,
  progressMs: 180_000,
  totalMs: HOUR_MS,
}

/**
 * The rules of the circuit breaker: after this many failures within the window, a target is out of rotation for a
 * while.
 */
export interface Breaker {
  readonly failures: number
  readonly windowMs: number
}

export const defaultBreaker: Breaker = { failures: 5, windowMs: 10_000 }

/** The probe of a channel out of rotation. With it, the channel recovers without waiting for a caller's request. */
export interface HealthCheck {
  readonly everyMs: number
  /** Whether a health check may pay for an answer of one token where no cheaper check exists. */
  readonly mayGenerate: boolean
}

/** Root certificates, in PEM. */
export interface Authorities {
  /** The ID, which is equal for equal certificates. */
  readonly id: string
  readonly pem: string
}

/** A channel to a provider, as the configuration describes it. */
export interface Channel {
  readonly name: string
  /** The provider's ID in the registry. */
  readonly provider: string
  readonly format: ChannelFormatId
  /** The base address, without a trailing slash. */
  readonly baseUrl: string
  /** Empty where the provider needs no credential. */
  readonly credentials: readonly Credential[]
  readonly models: ChannelModels
  /** The channel's priority. A higher priority is tried first. */
  readonly priority: number
  /** The share of requests within one priority. */
  readonly weight: number
  /** Headers that are added to every upstream request. Their names are in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeouts: Timeouts
  /** Undefined where the circuit breaker is off. */
  readonly breaker: Breaker | undefined
  /** Undefined where health checks are off. */
  readonly healthCheck?: HealthCheck | undefined
  /** The limit of concurrent calls. Undefined where there is no limit. */
  readonly concurrency: number | undefined
  /** Whether the base address may be on this machine or in a private network. */
  readonly allowPrivate: boolean
  /** The proxy for calls to the upstream, with its user and password. This is a secret. */
  readonly proxy?: string | undefined
  /** Certificates that are trusted in addition to the machine's own. */
  readonly authorities?: Authorities | undefined
  /**
   * The settings that the provider needs besides a key, such as a version of its API, by their names under
   * `credentials`.
   */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** The operator's prices, by the channel's names of its models. */
  readonly prices?: ReadonlyMap<string, PriceHistory> | undefined
  /** Steering fields of the provider that the operator allows callers to send, in lower case. */
  readonly allowFields: ReadonlySet<string>
  /** The provider's own paths that callers may call. Absent where there are none. */
  readonly passthrough?: readonly PassthroughRule[] | undefined
}

export type ChannelModels =
  /** The upstream names by public name. */
  | { readonly type: 'named'; readonly upstreamNames: ReadonlyMap<string, string> }
  /** All models that the upstream lists, under the upstream's names. */
  | { readonly type: 'listed' }
