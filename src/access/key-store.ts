import type { AuditRecord } from '../canonical/audit.ts'
import type { Key, KeyDigest, KeyId } from './key.ts'

/**
 * Where keys are kept. Every promise is fulfilled only once the change is durable, and with it the record of who made
 * it, which is not written where nothing changed.
 */
export interface KeyStore {
  list(): Promise<readonly Key[]>
  /** Fails with `name_taken` where a key that is not revoked has the name. */
  insert(key: Key, record: AuditRecord): Promise<void>
  findByDigest(digest: KeyDigest): Promise<Key | undefined>
  /** At the time of the record. */
  revoke(id: KeyId, record: AuditRecord): Promise<boolean>
  setDisabled(id: KeyId, disabled: boolean, record: AuditRecord): Promise<boolean>
  /**
   * Makes the bootstrap keys those of the file: inserts, changes and revokes until they are equal. Answers with all of
   * them as they are then, so that nothing is left to be asked once it is durable.
   */
  replaceBootstrap(keys: readonly Key[], atMs: number): Promise<readonly Key[]>
}
