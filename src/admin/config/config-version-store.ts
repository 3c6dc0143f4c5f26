import type { JsonObject } from '../../kit/json/json.ts'

/** The origin of a version. */
export type ConfigAction = 'change' | 'undo' | 'restore'

/** One state of the admin API's document, and the record of who made it. Never changed once written. */
export interface ConfigVersion {
  /** The version's number, from 1, without gaps. */
  readonly number: number
  readonly createdAtMs: number
  /** The one who made the version. */
  readonly author: string
  readonly credential: string
  /** The address that the request came from. */
  readonly address: string
  readonly action: ConfigAction
  readonly comment: string | undefined
  /** The version that this one is equal to, where an old one was taken back; 0 is the empty document. */
  readonly restoredFrom: number | undefined
  /** The differences from the version before, in sentences without secrets. */
  readonly changes: readonly string[]
  /** The document with its secrets sealed; undefined for an old version of which only the record is stored. */
  readonly document: JsonObject | undefined
}

/** The store of versions. Every promise is fulfilled only once the change is durable. */
export interface ConfigVersionStore {
  find(number: number): Promise<ConfigVersion | undefined>
  latest(): Promise<ConfigVersion | undefined>
  /** Lists the newest first, those below `before` where it is given. */
  list(page: {
    readonly before: number | undefined
    readonly limit: number
  }): Promise<readonly ConfigVersion[]>
  /** Fails with `config_version_conflict` where there is one of the number. Lets go of documents that are too old. */
  append(version: ConfigVersion): Promise<void>
  /**
   * Puts another form of every kept document in its place, all in one transaction; `change` gives undefined for one
   * that stays. Answers with how many were changed.
   */
  rewrite(change: (document: JsonObject, number: number) => JsonObject | undefined): Promise<number>
}
