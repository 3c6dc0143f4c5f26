import type { Caller } from './key.ts'

/** The parts of a request that identify the caller. Header names are in lower case. */
export interface CredentialSource {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The `key` query parameter, if the path accepts an API key there. */
  readonly queryKey: string | undefined
  /** The caller's address, after the addresses of trusted proxies are removed. */
  readonly address: string
  /** The connection that carries the request. The last secret that it proved is not hashed again (decision 0013). */
  readonly connection?: object
}

/** Authenticates a caller from memory, without I/O. Throws `GatewayError` if the request is refused. */
export interface Authenticator {
  authenticate(source: CredentialSource): Caller
  /** Checks the key of this ID when another proof replaces its secret. Throws `GatewayError` if it is refused. */
  authenticateId(keyId: string, address: string): Caller
}
