import type { KeyId } from '../access/key.ts'

/** The name of a call: the caller's Headgate key, and a digest of its idempotency key. */
export interface CallName {
  readonly keyId: KeyId
  readonly id: string
}

/** A whole answer with a good status, as its first caller got it. An answer that was cut off is never one. */
export interface IdempotentAnswer {
  /** The fingerprint of the request that it answers. Another request under the same name is refused. */
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
  /** The call is the claimer's, until it finishes or releases it. */
  | { readonly type: 'claimed' }
  | { readonly type: 'finished'; readonly call: FinishedCall }
  /** Another process that shares the store carries the call out. */
  | { readonly type: 'elsewhere'; readonly fingerprint: string }

export interface IdempotencyBounds {
  readonly nowMs: number
  readonly maxBytes: number
}

/**
 * The claims of calls in progress and the answers of those that have ended, over a restart and unreadable without the
 * installation's secret. A store that is shared ends the claims of a process that died. Where one process owns the
 * store, the claims are those of its memory, so that a claim costs no write and none outlives the process.
 */
export interface IdempotencyStore {
  claim(name: CallName, fingerprint: string): Promise<Claimed>
  /** Frees the name of a call that ended without an answer that may be repeated. */
  release(name: CallName): Promise<void>
  /** Stores the answers of calls that have ended, in order, all or nothing. */
  finish(calls: readonly FinishedCall[]): Promise<void>
  /** Drops what has expired, what belongs to revoked keys and, the soonest to expire first, what is over the bound. */
  prune(bounds: IdempotencyBounds): Promise<void>
}
