import type { AuditRecord } from '../canonical/audit.ts'
import type { OwnedBy } from '../canonical/owned-by.ts'
import type { Key, KeyDigest, KeyId, KeyTerms } from './key.ts'

export const keySorts = ['created', 'name', 'last_used', 'expires'] as const
export type KeySort = (typeof keySorts)[number]

export const keyStatuses = ['active', 'disabled', 'expired', 'revoked'] as const
export type KeyStatus = (typeof keyStatuses)[number]

/** A query for keys. A key must match every filter that is given. */
export interface KeyQuery {
  /** A part of the name. */
  readonly search: string | undefined
  readonly user: string | undefined
  readonly group: string | undefined
  /** Undefined for every key that is not revoked. With `includeRevoked`, revoked keys are included as well. */
  readonly status: KeyStatus | undefined
  readonly includeRevoked: boolean
  readonly ownedBy: OwnedBy | undefined
  /** The time at which expiry is judged, in milliseconds since 1970. */
  readonly nowMs: number
  readonly sort: KeySort
  readonly descending: boolean
  readonly after: KeyCursor | undefined
  readonly limit: number
}

/** A cursor at the end of a page: the value that the list is sorted by, and the ID to break ties. */
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
 * The store of keys. Every promise resolves only after the change and its audit record are durable. If nothing
 * changed, no record is written.
 */
export interface KeyStore {
  list(): Promise<readonly Key[]>
  /** Whether there was ever a key, revoked or not. */
  hasAny(): Promise<boolean>
  page(query: KeyQuery): Promise<KeyPage>
  /** Finds a key by its ID, or a key that is not revoked by its name. */
  find(reference: string): Promise<Key | undefined>
  /** Fails with `name_taken` if another key has the name and is not revoked. */
  insert(key: Key, record: AuditRecord): Promise<void>
  /** Revokes a key at the time of the record. */
  revoke(id: KeyId, record: AuditRecord): Promise<boolean>
  /**
   * Writes only these terms of the key. Fails with `name_taken` if another key has the name and is not revoked. False
   * if the key is revoked.
   */
  change(key: Key, changed: readonly (keyof KeyTerms)[], record: AuditRecord): Promise<boolean>
  /**
   * Writes the key's digest, its hint and its previous secret. False if the key is revoked, or if its digest is not
   * `from` any more because it was rotated in between.
   */
  rotate(key: Key, from: KeyDigest, record: AuditRecord): Promise<boolean>
  /** The last use of each key, in milliseconds since 1970. */
  listUses(): Promise<ReadonlyMap<KeyId, number>>
  writeUses(uses: ReadonlyMap<KeyId, number>): Promise<void>
  /**
   * Inserts, changes and revokes bootstrap keys until they are equal to those of the configuration file. Resolves
   * with all bootstrap keys as they are afterwards, so that no second query is needed.
   */
  replaceBootstrap(keys: readonly Key[], atMs: number): Promise<readonly Key[]>
}
