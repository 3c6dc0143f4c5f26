import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import type { ConfigVersion, ConfigVersionStore } from '../admin/config/config-version-store.ts'
import type { AuditRecord } from '../canonical/audit.ts'
import { GatewayError } from '../canonical/failure.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { appendAudit } from './audit-sql.ts'
import { storeUnavailable, UniqueConstraintError } from './sqlite/store-fault.ts'
import type { ConfigVersionTable, Tables } from './tables.ts'

/**
 * The number of versions whose documents are stored. For older versions, only the record of who changed what remains.
 */
const MAX_DOCUMENTS = 1_000
/** PostgreSQL refuses to compare a column with a number that the column cannot hold. */
const MAX_NUMBER = 2 ** 31 - 1

export function createSqlConfigVersionStore(database: Kysely<Tables>): ConfigVersionStore {
  const versions = () => database.selectFrom('config_versions').selectAll()
  return {
    async find(number) {
      const row = await versions().where('number', '=', number).executeTakeFirst()
      return row === undefined ? undefined : readRow(row)
    },
    async latest() {
      const row = await versions().orderBy('number', 'desc').limit(1).executeTakeFirst()
      return row === undefined ? undefined : readRow(row)
    },
    async list({ before = MAX_NUMBER, limit }) {
      const below = Math.min(before, MAX_NUMBER)
      const query = versions().where('number', '<', below).orderBy('number', 'desc').limit(limit)
      return (await query.execute()).map(readRow)
    },
    append: (version) => database.transaction().execute((transaction) => appendVersion(transaction, version)),
    rewrite: (change) =>
      database.transaction().execute((transaction) => rewriteDocuments(transaction, change)),
  }
}

async function appendVersion(transaction: Transaction<Tables>, version: ConfigVersion): Promise<void> {
  try {
    await transaction.insertInto('config_versions').values(writeRow(version)).execute()
  } catch (error) {
    throw error instanceof UniqueConstraintError ? new GatewayError('config_version_conflict') : error
  }
  await appendAudit(transaction, auditOf(version))
  await transaction
    .updateTable('config_versions')
    .set({ document: null })
    .where('number', '=', version.number - MAX_DOCUMENTS)
    .execute()
}

async function rewriteDocuments(
  transaction: Transaction<Tables>,
  change: Parameters<ConfigVersionStore['rewrite']>[0],
): Promise<number> {
  const rows = await transaction.selectFrom('config_versions').selectAll().execute()
  let changed = 0
  for (const { number, document } of rows.map(readRow)) {
    const next = document === undefined ? undefined : change(document, number)
    if (next === undefined) continue
    changed += 1
    await transaction
      .updateTable('config_versions')
      .set({ document: JSON.stringify(next) })
      .where('number', '=', number)
      .execute()
  }
  return changed
}

function auditOf(version: ConfigVersion): AuditRecord {
  const { author, credential, address, action, comment, restoredFrom, changes, number } = version
  const more = [
    ...(restoredFrom === undefined ? [] : [`equal to version ${restoredFrom}`]),
    ...(comment === undefined ? [] : [`comment: ${comment}`]),
  ]
  const details = [...changes, ...more]
  const what = { action: `config.${action}`, subject: String(number), details } as const
  return { author, credential, address, ...what, atMs: version.createdAtMs }
}

function writeRow(version: ConfigVersion): Insertable<ConfigVersionTable> {
  return {
    number: version.number,
    created_at_ms: version.createdAtMs,
    author: version.author,
    credential: version.credential,
    address: version.address,
    action: version.action,
    comment: version.comment ?? null,
    restored_from: version.restoredFrom ?? null,
    changes: JSON.stringify(version.changes),
    document: version.document === undefined ? null : JSON.stringify(version.document),
  }
}

const documentSchema = z.record(z.string(), z.json())
const changesSchema = z.array(z.string())

function readRow(row: Selectable<ConfigVersionTable>): ConfigVersion {
  try {
    return {
      number: row.number,
      createdAtMs: row.created_at_ms,
      author: row.author,
      credential: row.credential,
      address: row.address,
      action: row.action,
      comment: row.comment ?? undefined,
      restoredFrom: row.restored_from ?? undefined,
      changes: changesSchema.parse(parseJson(row.changes)),
      document: row.document === null ? undefined : documentSchema.parse(parseJson(row.document)),
    }
  } catch (cause) {
    throw storeUnavailable(`the row of version ${row.number} of the configuration is damaged`, cause)
  }
}
