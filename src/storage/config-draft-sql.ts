import type { Insertable, Kysely, Selectable, Transaction } from 'kysely'
import { z } from 'zod'
import type { ConfigDraft, ConfigDraftStore, DraftId } from '../admin/config/config-draft-store.ts'
import type { AuditRecord } from '../canonical/audit.ts'
import { GatewayError } from '../canonical/failure.ts'
import { brand } from '../kit/brand.ts'
import { parseJson } from '../kit/json/parse-json.ts'
import { appendAudit } from './audit-sql.ts'
import { storeUnavailable } from './sqlite/store-fault.ts'
import type { ConfigDraftTable, Tables } from './tables.ts'

export function createSqlConfigDraftStore(database: Kysely<Tables>): ConfigDraftStore {
  const drafts = (nowMs: number) =>
    database.selectFrom('config_drafts').selectAll().where('expires_at_ms', '>', nowMs)
  return {
    async list(nowMs) {
      const query = drafts(nowMs).orderBy('changed_at_ms', 'desc').orderBy('id')
      return (await query.execute()).map(readRow)
    },
    async find(id, nowMs) {
      const row = await drafts(nowMs).where('id', '=', id).executeTakeFirst()
      return row === undefined ? undefined : readRow(row)
    },
    create: (draft, record, maxDrafts) =>
      database.transaction().execute((transaction) => addDraft(transaction, { draft, record, maxDrafts })),
    async replace(draft) {
      const { id, ...columns } = writeRow(draft)
      const { numUpdatedRows } = await database
        .updateTable('config_drafts')
        .set(columns)
        .where('id', '=', id)
        .where('revision', '=', draft.revision - 1)
        .executeTakeFirst()
      return numUpdatedRows > 0n
    },
    delete: (id, record) =>
      database.transaction().execute(async (transaction) => {
        const { numDeletedRows } = await transaction
          .deleteFrom('config_drafts')
          .where('id', '=', id)
          .executeTakeFirst()
        if (numDeletedRows > 0n && record !== undefined) await appendAudit(transaction, record)
        return numDeletedRows > 0n
      }),
    async deleteApplied({ id, revision }) {
      const same = database.deleteFrom('config_drafts').where('id', '=', id).where('revision', '=', revision)
      const { numDeletedRows } = await same.executeTakeFirst()
      return numDeletedRows > 0n
    },
    rewrite: (change) => database.transaction().execute((transaction) => rewriteDrafts(transaction, change)),
  }
}

interface DraftAddition {
  readonly draft: ConfigDraft
  readonly record: AuditRecord
  readonly maxDrafts: number
}

async function addDraft(
  transaction: Transaction<Tables>,
  { draft, record, maxDrafts }: DraftAddition,
): Promise<void> {
  await transaction.deleteFrom('config_drafts').where('expires_at_ms', '<=', draft.createdAtMs).execute()
  const { count } = await transaction
    .selectFrom('config_drafts')
    .select(({ fn }) => fn.countAll().as('count'))
    .executeTakeFirstOrThrow()
  if (Number(count) >= maxDrafts) throw new GatewayError('too_many_drafts')
  await transaction.insertInto('config_drafts').values(writeRow(draft)).execute()
  await appendAudit(transaction, record)
}

async function rewriteDrafts(
  transaction: Transaction<Tables>,
  change: Parameters<ConfigDraftStore['rewrite']>[0],
): Promise<number> {
  const rows = await transaction.selectFrom('config_drafts').selectAll().execute()
  let changed = 0
  for (const { id, document } of rows.map(readRow)) {
    const next = change(document, id)
    if (next === undefined) continue
    changed += 1
    await transaction
      .updateTable('config_drafts')
      .set({ document: JSON.stringify(next) })
      .where('id', '=', id)
      .execute()
  }
  return changed
}

function writeRow(draft: ConfigDraft): Insertable<ConfigDraftTable> {
  return {
    id: draft.id,
    name: draft.name,
    comment: draft.comment ?? null,
    author: draft.author,
    created_at_ms: draft.createdAtMs,
    changed_at_ms: draft.changedAtMs,
    expires_at_ms: draft.expiresAtMs,
    revision: draft.revision,
    base_version: draft.baseVersion,
    document: JSON.stringify(draft.document),
  }
}

const documentSchema = z.record(z.string(), z.json())

function readRow(row: Selectable<ConfigDraftTable>): ConfigDraft {
  try {
    return {
      id: brand<DraftId>(row.id),
      name: row.name,
      comment: row.comment ?? undefined,
      author: row.author,
      createdAtMs: row.created_at_ms,
      changedAtMs: row.changed_at_ms,
      expiresAtMs: row.expires_at_ms,
      revision: row.revision,
      baseVersion: row.base_version,
      document: documentSchema.parse(parseJson(row.document)),
    }
  } catch (cause) {
    throw storeUnavailable(`the row of the draft ${row.id} is damaged`, cause)
  }
}
