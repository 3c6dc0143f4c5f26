import type { ChannelFormatId } from '../canonical/format.ts'
import { HOUR_MS } from '../kit/time/time-units.ts'
import type { PassthroughRule } from './passthrough.ts'
import type { PriceHistory } from './prices/price.ts'

/** A secret of ours with a provider. Channels may hold several, used in turn. */
export interface Credential {
  /** Names the credential in logs without showing it: the channel's name and its index in the list. */
  readonly id: string
  readonly secret: string
}

/** The time limit of each phase of a call, in milliseconds. */
export interface Timeouts {
  /** The limit to an open socket, the look-up of the name included. */
  readonly connectMs: number
  /** The limit of the TLS handshake. */
  readonly tlsMs: number
  /**
   * The limit from the request's last byte to the status line of streams; undefined where the operator leaves
   * it to Headgate.
   */
  readonly headersMs: number | undefined
  /** The same for answers that come whole, which take as long as the model thinks. */
  readonly wholeHeadersMs: number
  /** The limit from dispatch to the first event that shows something of the answer; undefined as above. */
  readonly firstContentMs: number | undefined
  /** The limit between two bytes; undefined as above. */
  readonly idleMs: number | undefined
  /** The limit between two events of a stream that show something of the answer: pings are no progress. */
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

/** The terms under which a target is out of rotation for a while: after this many failures within the window. */
export interface Breaker {
  readonly failures: number
  readonly windowMs: number
}

export const defaultBreaker: Breaker = { failures: 5, windowMs: 10_000 }

/** The way in which a channel out of rotation is asked whether it is back, without waiting for a request to try. */
export interface HealthCheck {
  readonly everyMs: number
  /** Whether a health check may pay for an answer of one token where no cheaper check exists. */
  readonly mayGenerate: boolean
}

/** Root certificates, in PEM. */
export interface Authorities {
  /** An ID that is equal for equal certificates. */
  readonly id: string
  readonly pem: string
}

/** A way to a provider, as the configuration describes it. */
export interface Channel {
  readonly name: string
  /** The provider's id in the registry. */
  readonly provider: string
  readonly format: ChannelFormatId
  /** The base address, without a slash at its end. */
  readonly baseUrl: string
  /** Empty where the provider asks for none. */
  readonly credentials: readonly Credential[]
  readonly models: ChannelModels
  /** The channel's rank: the higher one goes first. */
  readonly priority: number
  /** The share of requests inside one priority. */
  readonly weight: number
  /** Headers that are added to every upstream request, names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  readonly timeouts: Timeouts
  /** Undefined where it is off. */
  readonly breaker: Breaker | undefined
  /** Undefined where it is off. */
  readonly healthCheck?: HealthCheck | undefined
  /** Calls that may be under way at one time; undefined where there is no limit. */
  readonly concurrency: number | undefined
  /** Whether the base address may lead to this machine or a private network. */
  readonly allowPrivate: boolean
  /** The proxy through which the upstream is reached, with the user and password that it asks for; a secret. */
  readonly proxy?: string | undefined
  /** Certificates that are trusted beside the machine's own. */
  readonly authorities?: Authorities | undefined
  /**
   * The settings that the provider needs besides a key, such as a version of its API, by their names under
   * `credentials`.
   */
  readonly settings?: Readonly<Record<string, string>> | undefined
  /** The operator's prices, by the names under which the channel serves its models. */
  readonly prices?: ReadonlyMap<string, PriceHistory> | undefined
  /** Steering fields of the provider that the operator allows callers to send, in lower case. */
  readonly allowFields: ReadonlySet<string>
  /** The provider's own paths that callers may ask; none where it is absent. */
  readonly passthrough?: readonly PassthroughRule[] | undefined
}

export type ChannelModels =
  /** Upstream names by public name. */
  | { readonly type: 'named'; readonly upstreamNames: ReadonlyMap<string, string> }
  /** Whatever the upstream lists, under its own names. */
  | { readonly type: 'listed' }
