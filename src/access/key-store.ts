import type { Key, KeyDigest, KeyId } from './key.ts'

/** Where keys are kept. Every promise is fulfilled only once the change is durable. */
export interface KeyStore {
  list(): Promise<readonly Key[]>
  /** Fails with `name_taken` where a key that is not revoked has the name. */
  insert(key: Key): Promise<void>
  findByDigest(digest: KeyDigest): Promise<Key | undefined>
  revoke(id: KeyId, atMs: number): Promise<boolean>
  setDisabled(id: KeyId, disabled: boolean): Promise<boolean>
  /** Makes the bootstrap keys those of the file: inserts, changes and revokes until they are equal. */
  replaceBootstrap(keys: readonly Key[], atMs: number): Promise<void>
}
