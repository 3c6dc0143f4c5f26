import type { KeyId } from '../access/key.ts'
import type { StoredResponse } from './stored-response.ts'

export type StoredResponseChange =
  | { readonly type: 'put'; readonly response: StoredResponse }
  | { readonly type: 'delete'; readonly keyId: KeyId; readonly id: string }
  /** Stores the response at least this long, since another response continues from it. */
  | { readonly type: 'extend'; readonly keyId: KeyId; readonly id: string; readonly expiresAtMs: number }

export interface StoredResponseBounds {
  readonly nowMs: number
  readonly maxBytes: number
  /** False stores only the owners of providers' responses, not the content. */
  readonly keepsWords: boolean
}

/** Stores responses across restarts. Their content is unreadable without the installation's secret. */
export interface StoredResponsePersistence {
  find(keyId: KeyId, id: string): Promise<StoredResponse | undefined>
  /** Maps each known item ID to the ID of the response that holds the item. */
  findItems(keyId: KeyId, itemIds: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Saves changes in order, all or nothing. */
  save(changes: readonly StoredResponseChange[]): Promise<void>
  /**
   * Deletes expired responses and the responses of revoked keys. While the store is over the bound, it deletes the
   * responses that expire soonest.
   */
  prune(bounds: StoredResponseBounds): Promise<void>
}
