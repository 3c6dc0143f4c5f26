import type { JsonObject } from '../../kit/json/json.ts'

/** The origin of a version. */
export type ConfigAction = 'change' | 'undo' | 'restore'

/** One state of the admin API's document, with the record of its author. It never changes once it is written. */
export interface ConfigVersion {
  /** The version's number, from 1, without gaps. */
  readonly number: number
  readonly createdAtMs: number
  /** The author of the version. */
  readonly author: string
  readonly credential: string
  /** The address that the request came from. */
  readonly address: string
  readonly action: ConfigAction
  readonly comment: string | undefined
  /** The version whose content was restored. 0 is the empty document. */
  readonly restoredFrom: number | undefined
  /** The differences from the version before, in sentences without secrets. */
  readonly changes: readonly string[]
  /** The document with its secrets encrypted. Undefined for an old version that only has its record left. */
  readonly document: JsonObject | undefined
}

/** The store of versions. Every promise resolves only after the change is durable. */
export interface ConfigVersionStore {
  find(number: number): Promise<ConfigVersion | undefined>
  latest(): Promise<ConfigVersion | undefined>
  /** Lists versions, the newest first. If `before` is given, only versions below it. */
  list(page: {
    readonly before: number | undefined
    readonly limit: number
  }): Promise<readonly ConfigVersion[]>
  /** Fails with `config_version_conflict` if the number is already used. Deletes documents that are too old. */
  append(version: ConfigVersion): Promise<void>
  /**
   * Rewrites every stored document in one transaction. `change` returns undefined for a document that stays
   * unchanged. Resolves with the number of changed documents.
   */
  rewrite(change: (document: JsonObject, number: number) => JsonObject | undefined): Promise<number>
}
