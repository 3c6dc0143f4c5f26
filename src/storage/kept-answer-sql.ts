import type { Insertable, Kysely, Selectable } from 'kysely'
import type { KeptAnswerChange, KeptAnswerRow, KeptAnswerStore } from '../access/kept-answer-store.ts'
import type { KeyId } from '../access/key.ts'
import { brand } from '../kit/brand.ts'
import type { KeptAnswerTable, Tables } from './key-table.ts'

/** A statement takes 32,766 parameters at most (https://sqlite.org/limits.html, seen 2026-11-20). */
const ROWS_OF_STATEMENT = 500

export function createSqlKeptAnswerStore(database: Kysely<Tables>): KeptAnswerStore {
  return {
    async load(sinceMs) {
      await database.deleteFrom('kept_answers').where('kept_at_ms', '<', sinceMs).execute()
      const rows = await database.selectFrom('kept_answers').selectAll().orderBy('kept_at_ms').execute()
      return rows.map(readRow)
    },
    save: (changes) =>
      database.transaction().execute(async (transaction) => {
        for (const [keyId, group] of Map.groupBy(changes, (change) => change.keyId)) {
          for (let start = 0; start < group.length; start += ROWS_OF_STATEMENT) {
            await replaceRows(transaction, keyId, group.slice(start, start + ROWS_OF_STATEMENT))
          }
        }
      }),
  }
}

async function replaceRows(
  transaction: Kysely<Tables>,
  keyId: KeyId,
  changes: readonly KeptAnswerChange[],
): Promise<void> {
  const ids = changes.map(({ id }) => id)
  await transaction.deleteFrom('kept_answers').where('key_id', '=', keyId).where('id', 'in', ids).execute()
  const rows = changes.flatMap(({ id, answer }) => (answer === undefined ? [] : [writeRow({ id, answer })]))
  if (rows.length > 0) await transaction.insertInto('kept_answers').values(rows).execute()
}

function writeRow({ id, answer }: KeptAnswerRow): Insertable<KeptAnswerTable> {
  return {
    key_id: answer.keyId,
    id,
    asked_name: answer.askedName,
    public_name: answer.publicName,
    channel: answer.channelName,
    upstream_model: answer.upstreamModel,
    credential_id: answer.credentialId ?? null,
    kept_at_ms: answer.keptAtMs,
  }
}

function readRow(row: Selectable<KeptAnswerTable>): KeptAnswerRow {
  return {
    id: row.id,
    answer: {
      keyId: brand<KeyId>(row.key_id),
      askedName: row.asked_name,
      publicName: row.public_name,
      channelName: row.channel,
      upstreamModel: row.upstream_model,
      credentialId: row.credential_id ?? undefined,
      keptAtMs: row.kept_at_ms,
    },
  }
}
