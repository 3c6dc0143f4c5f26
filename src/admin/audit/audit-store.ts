import type { AuditRecord } from '../../canonical/audit.ts'

export interface AuditEntry extends AuditRecord {
  /** The entry's number, from 1, in the order in which entries became durable. */
  readonly number: number
}

export interface AuditPage {
  /** Only those below it. */
  readonly before: number | undefined
  readonly limit: number
}

/**
 * What operators did. Changes of keys and of the configuration write their record in their own transaction,
 * so that there is none without it; nothing is ever taken away.
 */
export interface AuditStore {
  append(record: AuditRecord): Promise<void>
  /** Newest first. */
  list(page: AuditPage): Promise<readonly AuditEntry[]>
}
