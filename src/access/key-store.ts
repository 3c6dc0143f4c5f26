import type { AuditRecord } from '../canonical/audit.ts'
import type { Key, KeyDigest, KeyId, KeyTerms } from './key.ts'

/**
 * The store of keys. Every promise is fulfilled only once the change is durable, together with the record of
 * who made it; where nothing changed, no record is written.
 */
export interface KeyStore {
  list(): Promise<readonly Key[]>
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
