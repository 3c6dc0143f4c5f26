import { type Insertable, type Kysely, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { ByteSealer } from '../kit/bytes/seal.ts'
import type { FinishedCall, IdempotencyStore, IdempotentAnswer } from '../stored-answers/idempotency-store.ts'
import { packParts, unpackParts } from './pack-content.ts'
import type { IdempotentAnswerTable, Tables } from './tables.ts'

/** The size of a row besides its content. */
const ROW_BYTES = 512

/** The parts of an answer that are stored besides its body. */
const headSchema = z.object({
  fingerprint: z.string(),
  kind: z.enum(['whole', 'stream']),
  status: z.number(),
  headers: z.record(z.string(), z.string()),
})

/** Creates the store of a database that only this process uses. */
export function createSqlIdempotencyStore(database: Kysely<Tables>, sealer: ByteSealer): IdempotencyStore {
  return {
    async claim(name) {
      const row = await database
        .selectFrom('idempotent_answers')
        .select(['content', 'expires_at_ms'])
        .where('key_id', '=', name.keyId)
        .where('id', '=', name.id)
        .executeTakeFirst()
      const answer = row && (await readAnswer(row.content, sealer, sealContextOf(name)))
      if (row === undefined || answer === undefined) return { type: 'claimed' }
      return { type: 'finished', call: { name, answer, expiresAtMs: row.expires_at_ms } }
    },
    // The claim exists only in the memory of this process.
    release: async () => undefined,
    async finish(calls) {
      const rows: Insertable<IdempotentAnswerTable>[] = []
      for (const call of calls) rows.push(await writeRow(call, sealer))
      await database.transaction().execute(async (transaction) => {
        for (const row of rows) await putAnswer(transaction, row)
      })
    },
    prune: ({ nowMs, maxBytes }) =>
      database.transaction().execute(async (transaction) => {
        const remove = () => transaction.deleteFrom('idempotent_answers')
        await remove().where('expires_at_ms', '<=', nowMs).execute()
        const live = transaction.selectFrom('keys').select('id').where('revoked_at_ms', 'is', null)
        await remove().where('key_id', 'not in', live).execute()
        const over = sql<number>`(select key_id, id from (select key_id, id, sum(bytes) over
          (order by expires_at_ms desc, key_id, id) as running from idempotent_answers) as summed
          where running > ${maxBytes})`
        await remove().where(sql<boolean>`(key_id, id) in ${over}`).execute()
      }),
  }
}

async function putAnswer(
  transaction: Transaction<Tables>,
  row: Insertable<IdempotentAnswerTable>,
): Promise<void> {
  const { key_id: _keyId, id: _id, ...changed } = row
  await transaction
    .insertInto('idempotent_answers')
    .values(row)
    .onConflict((conflict) => conflict.columns(['key_id', 'id']).doUpdateSet(changed))
    .execute()
}

function sealContextOf({ keyId, id }: FinishedCall['name']): string {
  return `idempotent_answers|${keyId}|${id}`
}

async function writeRow(
  { name, answer, expiresAtMs }: FinishedCall,
  sealer: ByteSealer,
): Promise<Insertable<IdempotentAnswerTable>> {
  const { body, ...head } = answer
  const content = await packParts([Buffer.from(JSON.stringify(head)), body], sealer, sealContextOf(name))
  const bytes = ROW_BYTES + content.length
  return { key_id: name.keyId, id: name.id, expires_at_ms: expiresAtMs, bytes, content }
}

/** Undefined where the answer cannot be read. */
async function readAnswer(
  sealed: Uint8Array,
  sealer: ByteSealer,
  boundTo: string,
): Promise<IdempotentAnswer | undefined> {
  const parts = await unpackParts(sealed, sealer, boundTo)
  if (parts === undefined) return undefined
  const [head, body] = parts
  return { ...headSchema.parse(JSON.parse(head.toString('utf8'))), body }
}
