import type { AuditRecord } from '../../canonical/audit.ts'
import type { Branded } from '../../kit/brand.ts'
import type { JsonObject } from '../../kit/json/json.ts'

export type DraftId = Branded<string, 'DraftId'>

/** A change of the admin API's document that is not in force yet. */
export interface ConfigDraft {
  readonly id: DraftId
  readonly name: string
  readonly comment: string | undefined
  /** The author of the draft. */
  readonly author: string
  readonly createdAtMs: number
  readonly changedAtMs: number
  /** The time at which the draft expires. From then on it is treated as nonexistent. */
  readonly expiresAtMs: number
  /** The revision of the draft, from 1. Each change increments it. */
  readonly revision: number
  /** The version that the draft changes. */
  readonly baseVersion: number
  /** The document with its secrets encrypted. */
  readonly document: JsonObject
}

/** The store of drafts. Every promise resolves only after the change is durable. */
export interface ConfigDraftStore {
  /** The drafts that have not expired, the most recently changed first. */
  list(nowMs: number): Promise<readonly ConfigDraft[]>
  /** Undefined if there is no such draft or it has expired. */
  find(id: string, nowMs: number): Promise<ConfigDraft | undefined>
  /**
   * Adds a draft with its audit record, and deletes drafts that have expired by its time. Fails with
   * `too_many_drafts` if there are already `maxDrafts` others.
   */
  create(draft: ConfigDraft, record: AuditRecord, maxDrafts: number): Promise<void>
  /** Replaces a draft if it is at the previous revision. False if it is at another revision or deleted. */
  replace(draft: ConfigDraft): Promise<boolean>
  /** Deletes a draft and writes the audit record if one is given. False if the draft was already deleted. */
  delete(id: DraftId, record?: AuditRecord): Promise<boolean>
  /** Deletes a draft that was applied, unless another process has changed it since, whose change would be lost. */
  deleteApplied(draft: Pick<ConfigDraft, 'id' | 'revision'>): Promise<boolean>
  /**
   * Rewrites every document in one transaction. `change` returns undefined for a document that stays unchanged.
   * Resolves with the number of changed documents.
   */
  rewrite(change: (document: JsonObject, id: DraftId) => JsonObject | undefined): Promise<number>
}
