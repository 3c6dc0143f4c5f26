import type { AuditRecord } from '../../canonical/audit.ts'
import type { Branded } from '../../kit/brand.ts'
import type { JsonObject } from '../../kit/json/json.ts'

export type DraftId = Branded<string, 'DraftId'>

/** A change of the admin API's document that is not in force yet. */
export interface ConfigDraft {
  readonly id: DraftId
  readonly name: string
  readonly comment: string | undefined
  /** The one who began it. */
  readonly author: string
  readonly createdAtMs: number
  readonly changedAtMs: number
  /** The time from which on the draft does not exist. */
  readonly expiresAtMs: number
  /** The number of the draft's state, from 1: each change makes the next one. */
  readonly revision: number
  /** The version that the draft is a change of. */
  readonly baseVersion: number
  /** The document with its secrets sealed. */
  readonly document: JsonObject
}

/** The store of drafts. Every promise is fulfilled only once the change is durable. */
export interface ConfigDraftStore {
  /** The drafts that have not expired, the last changed first. */
  list(nowMs: number): Promise<readonly ConfigDraft[]>
  /** Undefined where there is none, or it has expired. */
  find(id: string, nowMs: number): Promise<ConfigDraft | undefined>
  /**
   * Adds a draft with its record in the audit, and deletes those that have expired by its time. Fails with
   * `too_many_drafts` where there are `maxDrafts` others.
   */
  create(draft: ConfigDraft, record: AuditRecord, maxDrafts: number): Promise<void>
  /** Replaces a draft that is at the revision before; false where it is at another one, or is gone. */
  replace(draft: ConfigDraft): Promise<boolean>
  /** Deletes a draft, with its record in the audit where there is one; false where it was gone. */
  delete(id: DraftId, record?: AuditRecord): Promise<boolean>
  /**
   * Puts another form of every document in its place, all in one transaction; `change` gives undefined for one that
   * stays. Answers with how many were changed.
   */
  rewrite(change: (document: JsonObject, id: DraftId) => JsonObject | undefined): Promise<number>
}
