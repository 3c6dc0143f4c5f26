import type { Caller } from './key.ts'

/** What of a request says who is calling. Names in lower case. */
export interface CredentialSource {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The `key` query parameter, where the path takes one. */
  readonly queryKey: string | undefined
  /** The caller's address, proxies that are trusted already taken off. */
  readonly address: string
  /** What it came on: whoever asks twice on one connection is known sooner. */
  readonly connection?: object
}

/** Checks a caller in memory, without waiting. Throws `GatewayError` where the request ends here. */
export interface Authenticator {
  authenticate(source: CredentialSource): Caller
}
