import type { KeyId } from '../access/key.ts'

/** The name of a call: the caller's Headgate key, and a digest of its idempotency key. */
export interface CallName {
  readonly keyId: KeyId
  readonly id: string
}

/**
 * A whole answer with a successful status, as its first caller received it. An answer that was cut off is never
 * stored.
 */
export interface IdempotentAnswer {
  /** The fingerprint of the request that was answered. A different request under the same name is refused. */
  readonly fingerprint: string
  readonly kind: 'whole' | 'stream'
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

export interface FinishedCall {
  readonly name: CallName
  readonly answer: IdempotentAnswer
  /** Milliseconds since 1970. */
  readonly expiresAtMs: number
}

export type Claimed =
  /** The caller of `claim` has the call, until it finishes or releases it. */
  | { readonly type: 'claimed' }
  | { readonly type: 'finished'; readonly call: FinishedCall }
  /** Another process that shares the store has the call in progress. */
  | { readonly type: 'elsewhere'; readonly fingerprint: string }

export interface IdempotencyBounds {
  readonly nowMs: number
  readonly maxBytes: number
}

/**
 * The claims of calls in progress and the answers of calls that have ended. Answers survive a restart and are
 * unreadable without the installation's secret. A shared store ends the claims of a process that died. Where one
 * process owns the store, it has the claims in memory, so that a claim costs no write and ends with the process.
 */
export interface IdempotencyStore {
  claim(name: CallName, fingerprint: string): Promise<Claimed>
  /** Frees the name of a call that ended without an answer to repeat. */
  release(name: CallName): Promise<void>
  /** Stores the answers of calls that have ended, in order, all or nothing. */
  finish(calls: readonly FinishedCall[]): Promise<void>
  /**
   * Deletes expired answers and the answers of revoked keys. While the store is over the bound, it deletes the
   * answers that expire soonest.
   */
  prune(bounds: IdempotencyBounds): Promise<void>
}
