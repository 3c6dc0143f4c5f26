import type { Caller } from './key.ts'

/** The parts of a request that identify the caller. Names in lower case. */
export interface CredentialSource {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The `key` query parameter, where the path takes one. */
  readonly queryKey: string | undefined
  /** The caller's address, proxies that are trusted already taken off. */
  readonly address: string
  /** Its connection: a second request on it is authenticated faster. */
  readonly connection?: object
}

/** Checks a caller in memory, without waiting. Throws `GatewayError` where the request ends here. */
export interface Authenticator {
  authenticate(source: CredentialSource): Caller
}
