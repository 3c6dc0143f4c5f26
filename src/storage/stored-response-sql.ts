import { type Insertable, type Kysely, type Selectable, sql, type Transaction } from 'kysely'
import { z } from 'zod'
import type { KeyId } from '../access/key.ts'
import type { EstimatedCharge } from '../canonical/estimated-charge.ts'
import { brand } from '../kit/brand.ts'
import type { ByteSealer } from '../kit/bytes/seal.ts'
import { tryParseJson } from '../kit/json/try-parse-json.ts'
import type { LedgerRowId } from '../kit/random/ids.ts'
import type { ResponseContent, ResponseOwner, StoredResponse } from '../stored-answers/stored-response.ts'
import type {
  StoredResponseBounds,
  StoredResponseChange,
  StoredResponsePersistence,
} from '../stored-answers/stored-response-persistence.ts'
import { packContent, unpackContent } from './pack-content.ts'
import type { StoredResponseTable, Tables } from './tables.ts'

/** A statement has at most 32,766 parameters (https://sqlite.org/limits.html, seen 2026-11-20). */
const MAX_VALUES_PER_STATEMENT = 500
/** The size of a row besides its content. */
const ROW_BYTES = 512

export function createSqlStoredResponses(
  database: Kysely<Tables>,
  sealer: ByteSealer,
): StoredResponsePersistence {
  return {
    async find(keyId, id) {
      const row = await database
        .selectFrom('stored_responses')
        .selectAll()
        .where('key_id', '=', keyId)
        .where('id', '=', id)
        .executeTakeFirst()
      return row === undefined ? undefined : readRow(row, sealer)
    },
    async findItems(keyId, itemIds) {
      const found = new Map<string, string>()
      for (let start = 0; start < itemIds.length; start += MAX_VALUES_PER_STATEMENT) {
        const rows = await database
          .selectFrom('stored_items')
          .select(['item_id', 'response_id'])
          .where('key_id', '=', keyId)
          .where('item_id', 'in', itemIds.slice(start, start + MAX_VALUES_PER_STATEMENT))
          .execute()
        for (const row of rows) found.set(row.item_id, row.response_id)
      }
      return found
    },
    async save(changes) {
      const rows = new Map<StoredResponseChange, Insertable<StoredResponseTable>>()
      for (const change of changes)
        if (change.type === 'put') rows.set(change, await writeRow(change.response, sealer))
      await database.transaction().execute(async (transaction) => {
        for (const change of changes) await apply(transaction, change, rows.get(change))
      })
    },
    prune: (bounds) => database.transaction().execute((transaction) => prune(transaction, bounds)),
  }
}

async function apply(
  transaction: Transaction<Tables>,
  change: StoredResponseChange,
  row: Insertable<StoredResponseTable> | undefined,
): Promise<void> {
  switch (change.type) {
    case 'put':
      if (row !== undefined) await put(transaction, change.response, row)
      return
    case 'delete': {
      const { keyId, id } = change
      const responses = transaction.deleteFrom('stored_responses').where('key_id', '=', keyId)
      await responses.where('id', '=', id).execute()
      const items = transaction.deleteFrom('stored_items').where('key_id', '=', keyId)
      await items.where('response_id', '=', id).execute()
      return
    }
    case 'extend':
      await transaction
        .updateTable('stored_responses')
        .set({ expires_at_ms: change.expiresAtMs })
        .where('key_id', '=', change.keyId)
        .where('id', '=', change.id)
        .where('expires_at_ms', '<', change.expiresAtMs)
        .execute()
  }
}

async function put(
  transaction: Transaction<Tables>,
  { keyId, id, itemIds }: StoredResponse,
  row: Insertable<StoredResponseTable>,
): Promise<void> {
  const { key_id: _keyId, id: _id, ...changed } = row
  await transaction
    .insertInto('stored_responses')
    .values(row)
    .onConflict((conflict) => conflict.columns(['key_id', 'id']).doUpdateSet(changed))
    .execute()
  const items = [...new Set(itemIds)].map((itemId) => ({ key_id: keyId, item_id: itemId, response_id: id }))
  for (let start = 0; start < items.length; start += MAX_VALUES_PER_STATEMENT) {
    const some = items.slice(start, start + MAX_VALUES_PER_STATEMENT)
    await transaction
      .insertInto('stored_items')
      .values(some)
      .onConflict((conflict) =>
        conflict
          .columns(['key_id', 'item_id'])
          .doUpdateSet((item) => ({ response_id: item.ref('excluded.response_id') })),
      )
      .execute()
  }
}

async function prune(
  transaction: Transaction<Tables>,
  { nowMs, maxBytes, keepsWords }: StoredResponseBounds,
): Promise<void> {
  let removed = 0n
  const count = ({ numDeletedRows }: { readonly numDeletedRows: bigint }) => {
    removed += numDeletedRows
  }
  const remove = () => transaction.deleteFrom('stored_responses')
  count(await remove().where('expires_at_ms', '<=', nowMs).executeTakeFirstOrThrow())
  const live = transaction.selectFrom('keys').select('id').where('revoked_at_ms', 'is', null)
  count(await remove().where('key_id', 'not in', live).executeTakeFirstOrThrow())
  if (!keepsWords) {
    count(await remove().where('provider_id', 'is', null).executeTakeFirstOrThrow())
    await transaction
      .updateTable('stored_responses')
      .set({ content: null, absent: 'off', bytes: ROW_BYTES })
      .where('content', 'is not', null)
      .execute()
  }
  const over = sql<number>`(select key_id, id from (select key_id, id, sum(bytes) over
    (order by expires_at_ms desc, key_id, id) as running from stored_responses) as summed
    where running > ${maxBytes})`
  count(await remove().where(sql<boolean>`(key_id, id) in ${over}`).executeTakeFirstOrThrow())
  if (removed === 0n) return
  await sql`delete from stored_items where not exists (select 1 from stored_responses
    where stored_responses.key_id = stored_items.key_id and stored_responses.id = stored_items.response_id)`.execute(
    transaction,
  )
}

function sealContextOf({ key_id, id }: Pick<StoredResponseTable, 'key_id' | 'id'>): string {
  return `stored_responses|${key_id}|${id}`
}

async function writeRow(
  response: StoredResponse,
  sealer: ByteSealer,
): Promise<Insertable<StoredResponseTable>> {
  const { owner, content } = response
  const key = { key_id: response.keyId, id: response.id }
  const sealed = content.type === 'present' ? await packContent(content, sealer, sealContextOf(key)) : null
  return {
    ...key,
    previous_id: response.previousId ?? null,
    links: response.links,
    asked_name: response.askedName,
    created_at_ms: response.createdAtMs,
    expires_at_ms: response.expiresAtMs,
    bytes: ROW_BYTES + (sealed?.length ?? 0) + response.itemIds.length * 128,
    channel: owner?.channelName ?? null,
    credential_id: owner?.credentialId ?? null,
    public_name: owner?.publicName ?? null,
    upstream_model: owner?.upstreamModel ?? null,
    provider_id: owner?.providerId ?? null,
    charge: response.charge === undefined ? null : JSON.stringify(response.charge),
    absent: content.type === 'absent' ? content.reason : null,
    content: sealed,
  }
}

async function readRow(
  row: Selectable<StoredResponseTable>,
  sealer: ByteSealer,
): Promise<StoredResponse | undefined> {
  const content = await readContent(row, sealer)
  if (content === undefined) return undefined
  return {
    keyId: brand<KeyId>(row.key_id),
    id: row.id,
    previousId: row.previous_id ?? undefined,
    links: row.links,
    askedName: row.asked_name,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    owner: readOwner(row),
    ...(row.charge !== null && { charge: readCharge(row.charge) }),
    itemIds: [],
    content,
  }
}

/** The stored form of the terms of a correction. */
export const estimatedChargeSchema: z.ZodType<EstimatedCharge> = z.object({
  rowId: z.string().transform((id) => brand<LedgerRowId>(id)),
  requestId: z.string(),
  multiplierPpm: z.number(),
  budgets: z.array(
    z.object({ counter: z.string(), counts: z.enum(['charged', 'cost']), isExact: z.boolean() }),
  ),
})

/** Undefined if a newer Headgate wrote the text. The row in the ledger then stays an estimate. */
function readCharge(text: string): EstimatedCharge | undefined {
  return estimatedChargeSchema.safeParse(tryParseJson(text)).data
}

/** Undefined where the content is stored but cannot be read. */
async function readContent(
  row: Selectable<StoredResponseTable>,
  sealer: ByteSealer,
): Promise<ResponseContent | undefined> {
  if (row.content === null) return { type: 'absent', reason: row.absent ?? 'off' }
  return unpackContent(row.content, sealer, sealContextOf(row))
}

function readOwner(row: Selectable<StoredResponseTable>): ResponseOwner | undefined {
  const { channel, public_name: publicName, upstream_model: upstreamModel, provider_id: providerId } = row
  if (channel === null || publicName === null || upstreamModel === null || providerId === null)
    return undefined
  return {
    channelName: channel,
    credentialId: row.credential_id ?? undefined,
    publicName,
    upstreamModel,
    providerId,
  }
}
