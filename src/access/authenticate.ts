import type { Caller } from './key.ts'

/** The parts of a request that identify the caller. Names in lower case. */
export interface CredentialSource {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The `key` query parameter, where the path takes one. */
  readonly queryKey: string | undefined
  /** The caller's address, proxies that are trusted already taken off. */
  readonly address: string
  /** The connection that the request came on; the secret that it last proved is not hashed again (decision 0013). */
  readonly connection?: object
}

/** Checks a caller in memory, without waiting. Throws `GatewayError` where the request ends here. */
export interface Authenticator {
  authenticate(source: CredentialSource): Caller
  /** Checks the key of this id, which something other than its secret stands for. Throws `GatewayError`. */
  authenticateId(keyId: string, address: string): Caller
}
