import type { Channel, Credential } from '../catalog/channel.ts'
import type { Clock } from '../kit/time/clock.ts'

/**
 * Authorizes requests one by one where a key in a header is not enough: signatures, and tokens that expire. Called for
 * every request of a channel without a key of its own; a slow credential is cached until shortly before it expires, and
 * concurrent calls wait for one fetch.
 */
export interface Authorizer {
  /**
   * The headers that authorize the request, which override its own. Rejects with `GatewayError` (`upstream_credential`)
   * that names what is missing and where it was looked for.
   */
  authorize(request: AuthorizationRequest): Promise<Readonly<Record<string, string>>>
  /**
   * Called when the provider refused (401) a call of the channel with these headers, so that their credential is not
   * used again. The call is then made once more. Absent where nothing is cached.
   */
  refused?(channel: Channel, headers: Readonly<Record<string, string>>): void
  /** Tells by status and headers which answers besides the status 401 mean a refusal. */
  readonly isRefusal?: (
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ) => boolean
}

/** One call as it will go on the wire, headers of the authorisation apart. */
export interface AuthorizationRequest {
  readonly channel: Channel
  /** The channel's key, where it has one. */
  readonly credential: Credential | undefined
  readonly method: 'POST' | 'GET' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD'
  /** The scheme, host and port. */
  readonly origin: string
  readonly pathAndQuery: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The parts in order. */
  readonly body: readonly Buffer[]
}

/** The access to this machine's credentials; handed in, since declarations do no input or output. */
export interface Machine {
  /** The environment, as the configuration read it. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** The text of a file; undefined where there is none. Rejects where it cannot be read. */
  readText(path: string): Promise<string | undefined>
}

/** The options of authorisers, beside the machine. */
export interface AuthorizerOptions extends Machine {
  readonly clock: Clock
  /** Asks a service that gives credentials. */
  fetch(request: CredentialRequest): Promise<CredentialAnswer | NoCredentialAnswer>
  /** Receives every secret before its first use, so that nothing shows it. */
  onSecret(secret: string): void
}

export interface CredentialRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the address may be this machine or a private network, as metadata services are. */
  readonly allowPrivate?: boolean
  /** The limit of the whole exchange. */
  readonly timeoutMs: number
}

export interface CredentialAnswer {
  readonly type: 'answered'
  readonly status: number
  /** The body, cut to 64 KB. */
  readonly body: string
}

/** No service answered, or not in whole or not in time. */
export interface NoCredentialAnswer {
  readonly type: 'unanswered'
  readonly cause: Error
}
