import type { AuditRecord } from '../canonical/audit.ts'
import type { OwnedBy } from '../canonical/owned-by.ts'
import type { Key, KeyDigest, KeyId, KeyTerms } from './key.ts'

export const keySorts = ['created', 'name', 'last_used', 'expires'] as const
export type KeySort = (typeof keySorts)[number]

export const keyStatuses = ['active', 'disabled', 'expired', 'revoked'] as const
export type KeyStatus = (typeof keyStatuses)[number]

/** A query for keys. All that is given must hold. */
export interface KeyQuery {
  /** A part of the name. */
  readonly search: string | undefined
  readonly user: string | undefined
  readonly group: string | undefined
  /** Undefined: every key that is not revoked, and with `includeRevoked` those as well. */
  readonly status: KeyStatus | undefined
  readonly includeRevoked: boolean
  readonly ownedBy: OwnedBy | undefined
  /** The moment by which keys are expired. */
  readonly nowMs: number
  readonly sort: KeySort
  readonly descending: boolean
  readonly after: KeyCursor | undefined
  readonly limit: number
}

/** The end of a page: the value that the list is sorted by, and the ID among equals. */
export interface KeyCursor {
  readonly value: string | number
  readonly id: string
}

export interface KeyPage {
  readonly keys: readonly Key[]
  /** Undefined on the last page. */
  readonly next: KeyCursor | undefined
}

/**
 * The store of keys. Every promise is fulfilled only once the change is durable, together with the record of
 * who made it; where nothing changed, no record is written.
 */
export interface KeyStore {
  list(): Promise<readonly Key[]>
  page(query: KeyQuery): Promise<KeyPage>
  /** Finds a key by its ID, or one that is not revoked by its name. */
  find(reference: string): Promise<Key | undefined>
  /** Fails with `name_taken` where a key that is not revoked has the name. */
  insert(key: Key, record: AuditRecord): Promise<void>
  findByDigest(digest: KeyDigest): Promise<Key | undefined>
  /** Revokes a key at the time of the record. */
  revoke(id: KeyId, record: AuditRecord): Promise<boolean>
  /**
   * Writes these terms of the key, and no other. Fails with `name_taken` as `insert` does. False where it is revoked.
   */
  change(key: Key, changed: readonly (keyof KeyTerms)[], record: AuditRecord): Promise<boolean>
  /** Writes the key's digest, its hint and the secret before. False where it is revoked. */
  rotate(key: Key, record: AuditRecord): Promise<boolean>
  /** The last uses of keys, in milliseconds since 1970. */
  listUses(): Promise<ReadonlyMap<KeyId, number>>
  writeUses(uses: ReadonlyMap<KeyId, number>): Promise<void>
  /**
   * Makes the bootstrap keys those of the file: inserts, changes and revokes until they are equal. Answers with all of
   * them as they are then, so that nothing is left to be asked once it is durable.
   */
  replaceBootstrap(keys: readonly Key[], atMs: number): Promise<readonly Key[]>
}
