import type { Channel } from '../catalog/channel.ts'
import type { Clock } from '../kit/time/clock.ts'

/**
 * Authorizes requests one by one where a key in a header is not enough: signatures, and tokens that expire. Called for
 * every request of a channel without a key of its own. A credential that is slow to get is cached until shortly before
 * it expires, and concurrent calls wait for one fetch.
 */
export interface Authorizer {
  /**
   * Returns the headers that authorize the request. They override the request's own headers. Rejects with
   * `GatewayError` (`upstream_credential`) that names the missing credential and where it was searched.
   */
  authorize(request: AuthorizationRequest): Promise<Readonly<Record<string, string>>>
  /**
   * Called when the provider refused (401) a call of the channel with these headers, so that their credential is not
   * used again. The call is then made once more. Absent where nothing is cached.
   */
  refused?(channel: Channel, headers: Readonly<Record<string, string>>): void
  /** Tells by status and headers which answers mean a refusal, besides those with the status 401. */
  readonly isRefusal?: (
    status: number,
    headers: Readonly<Record<string, string | string[] | undefined>>,
  ) => boolean
}

/** One call as it will be sent, without the authorization headers. */
export interface AuthorizationRequest {
  readonly channel: Channel
  readonly method: 'POST' | 'GET' | 'PUT' | 'DELETE' | 'PATCH' | 'HEAD'
  /** The scheme, host and port. */
  readonly origin: string
  readonly pathAndQuery: string
  /** The headers, with names in lower case. */
  readonly headers: Readonly<Record<string, string>>
  /** The parts of the body, in order. */
  readonly body: readonly Buffer[]
}

/** Access to this machine's credentials. It is passed in, since declarations do no input or output. */
export interface Machine {
  /** The environment variables, as the configuration read them. */
  readonly variables: Readonly<Record<string, string | undefined>>
  /** Reads the text of a file. Undefined where there is no such file. Rejects where the file cannot be read. */
  readText(path: string): Promise<string | undefined>
}

/** The options of authorizers, in addition to access to the machine. */
export interface AuthorizerOptions extends Machine {
  readonly clock: Clock
  /** Calls a service that issues credentials. */
  fetch(request: CredentialRequest): Promise<CredentialAnswer | NoCredentialAnswer>
  /** Receives every secret before its first use, so that the secret is hidden in all output. */
  onSecret(secret: string): void
}

export interface CredentialRequest {
  readonly method: 'GET' | 'POST' | 'PUT'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** Whether the address may be this machine or a private network, as metadata services are. */
  readonly allowPrivate: boolean
  /** The timeout of the whole exchange. */
  readonly timeoutMs: number
}

export interface CredentialAnswer {
  readonly type: 'answered'
  readonly status: number
  /** The body, cut to 64 KB. */
  readonly body: string
}

/** No service answered completely and in time. */
export interface NoCredentialAnswer {
  readonly type: 'unanswered'
  readonly cause: Error
}
