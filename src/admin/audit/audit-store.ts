import type { AuditAction, AuditRecord } from '../../canonical/audit.ts'

export interface AuditEntry extends AuditRecord {
  /** The entry's number, from 1, in the order in which entries became durable. */
  readonly number: number
}

export interface AuditPage {
  /** Lists entries below this number only. */
  readonly before: number | undefined
  readonly limit: number
  readonly author?: string | undefined
  readonly action?: AuditAction | undefined
}

/**
 * The audit log. Changes of keys and of the configuration write their record in the same transaction, so no change
 * lacks a record. Nothing is ever deleted.
 */
export interface AuditStore {
  append(record: AuditRecord): Promise<void>
  /** Lists the newest first. */
  list(page: AuditPage): Promise<readonly AuditEntry[]>
}
