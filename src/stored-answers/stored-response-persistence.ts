import type { KeyId } from '../access/key.ts'
import type { StoredResponse } from './stored-response.ts'

export type StoredResponseChange =
  | { readonly type: 'put'; readonly response: StoredResponse }
  | { readonly type: 'delete'; readonly keyId: KeyId; readonly id: string }
  /** It stays at least so long, since another response goes on from it. */
  | { readonly type: 'extend'; readonly keyId: KeyId; readonly id: string; readonly expiresAtMs: number }

export interface StoredResponseBounds {
  readonly nowMs: number
  readonly maxBytes: number
  /** False stores only the owners of providers' responses. */
  readonly keepsWords: boolean
}

/** Stores responses over a restart, their words unreadable without the installation's secret. */
export interface StoredResponsePersistence {
  find(keyId: KeyId, id: string): Promise<StoredResponse | undefined>
  /** Finds the response that holds each of the items, of those that are known. */
  findItems(keyId: KeyId, itemIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Saves changes in order, all or nothing. */
  save(changes: readonly StoredResponseChange[]): Promise<void>
  /** Drops what has expired, what belongs to revoked keys and, the soonest to expire first, what is over the bound. */
  prune(bounds: StoredResponseBounds): Promise<void>
}
