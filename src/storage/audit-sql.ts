import type { Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { AuditEntry, AuditStore } from '../admin/audit/audit-store.ts'
import type { AuditRecord } from '../canonical/audit.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { storeUnavailable } from './sqlite/store-fault.ts'
import type { AuditTable, Tables } from './tables.ts'

export function createSqlAuditStore(database: Kysely<Tables>): AuditStore {
  return {
    append: (record) => appendAudit(database, record),
    async list({ before = Number.MAX_SAFE_INTEGER, limit, author, action }) {
      const query = database
        .selectFrom('audit')
        .selectAll()
        .where('number', '<', before)
        .where((row) =>
          row.and([
            ...(author === undefined ? [] : [row('author', '=', author)]),
            ...(action === undefined ? [] : [row('action', '=', action)]),
          ]),
        )
      return (await query.orderBy('number', 'desc').limit(limit).execute()).map(readRow)
    },
  }
}

/** Adds a record to the audit. `database` may be a transaction, which then includes the record. */
export async function appendAudit(database: Kysely<Tables>, record: AuditRecord): Promise<void> {
  const { atMs, author, credential, address, action, subject, details } = record
  await database
    .insertInto('audit')
    .values({ at_ms: atMs, author, credential, address, action, subject, details: JSON.stringify(details) })
    .execute()
}

const detailsSchema = z.array(z.string())

function readRow(row: Selectable<AuditTable>): AuditEntry {
  const { number, at_ms: atMs, author, credential, address, action, subject } = row
  try {
    const details = detailsSchema.parse(parseJson(row.details))
    return { number, atMs, author, credential, address, action, subject, details }
  } catch (cause) {
    throw storeUnavailable(`the row ${number} of the audit is damaged`, cause)
  }
}
