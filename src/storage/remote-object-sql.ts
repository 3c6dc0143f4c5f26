import type { Insertable, Kysely, Selectable } from 'kysely'
import { z } from 'zod'
import type { KeyId } from '../access/key.ts'
import type { NanoDollars } from '../canonical/money.ts'
import { brand } from '../kit/brand.ts'
import type { ByteSealer } from '../kit/bytes/seal.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { tryParseJson } from '../kit/json/try-parse-json.ts'
import type { RemoteObject, RemoteObjectStore } from '../stored-answers/remote-object.ts'
import { estimatedChargeSchema } from './stored-response-sql.ts'
import type { RemoteObjectTable, Tables } from './tables.ts'

/** The rows of one read of the batches that are due. */
const PAGE_ROWS = 100

export function createSqlRemoteObjects(database: Kysely<Tables>, sealer: ByteSealer): RemoteObjectStore {
  const read = (rows: readonly Selectable<RemoteObjectTable>[]) =>
    rows.flatMap((row) => readRow(row, sealer) ?? [])
  const select = () => database.selectFrom('remote_objects').selectAll()
  return {
    async find(keyId, id) {
      return read(await select().where('key_id', '=', keyId).where('id', '=', id).execute())[0]
    },
    async findRemote(keyId, channelName, providerId) {
      const ofKey = select().where('key_id', '=', keyId).where('channel', '=', channelName)
      return read(await ofKey.where('provider_id', '=', providerId).execute())[0]
    },
    async findStored(providerIds) {
      const stored = database.selectFrom('remote_objects').select('provider_id').distinct()
      const rows = await stored.where('provider_id', 'in', providerIds).execute()
      return rows.map(({ provider_id: id }) => id)
    },
    async list(keyId, { type, after, limit, isAscending }) {
      // IDs begin with their creation time, so that their order is the order of time.
      const ofKey = select().where('key_id', '=', keyId).where('type', '=', type)
      const rest = after === undefined ? ofKey : ofKey.where('id', isAscending ? '>' : '<', after)
      return read(
        await rest
          .orderBy('id', isAscending ? 'asc' : 'desc')
          .limit(limit)
          .execute(),
      )
    },
    async add(object) {
      await database
        .insertInto('remote_objects')
        .values(writeRow(object, sealer))
        .onConflict((conflict) => conflict.doNothing())
        .execute()
    },
    async update(object) {
      const { poll_at_ms, expires_at_ms, detail } = writeRow(object, sealer)
      await database
        .updateTable('remote_objects')
        .set({ poll_at_ms, expires_at_ms, detail })
        .where('key_id', '=', object.keyId)
        .where('id', '=', object.id)
        .execute()
    },
    async delete(keyId, id) {
      await database.deleteFrom('remote_objects').where('key_id', '=', keyId).where('id', '=', id).execute()
    },
    findDue(nowMs, limit) {
      const due = select().where('poll_at_ms', '<=', nowMs).orderBy('poll_at_ms').orderBy('id')
      return findReadable((offset) => due.limit(PAGE_ROWS).offset(offset).execute(), read, limit)
    },
    prune: (nowMs) =>
      database.transaction().execute(async (transaction) => {
        const remove = () => transaction.deleteFrom('remote_objects').where('poll_at_ms', 'is', null)
        await remove().where('expires_at_ms', '<=', nowMs).execute()
        const live = transaction.selectFrom('keys').select('id').where('revoked_at_ms', 'is', null)
        await remove().where('key_id', 'not in', live).execute()
      }),
  }
}

/** Passes over rows that cannot be read, such as batches that stay due, so that they do not hide the later ones. */
async function findReadable<Row, Value>(
  readPage: (offset: number) => Promise<readonly Row[]>,
  read: (rows: readonly Row[]) => readonly Value[],
  limit: number,
): Promise<readonly Value[]> {
  const found: Value[] = []
  for (let offset = 0; ; offset += PAGE_ROWS) {
    const rows = await readPage(offset)
    found.push(...read(rows))
    if (rows.length < PAGE_ROWS || found.length >= limit) return found.slice(0, limit)
  }
}

function sealContextOf(keyId: string, id: string): string {
  return `remote_objects|${keyId}|${id}`
}

function writeRow(object: RemoteObject, sealer: ByteSealer): Insertable<RemoteObjectTable> {
  const { keyId, id, detail } = object
  return {
    key_id: keyId,
    id,
    type: detail.type,
    channel: object.channelName,
    credential_id: object.credentialId ?? null,
    public_name: object.publicName,
    upstream_model: object.upstreamModel,
    provider_id: object.providerId,
    created_at_ms: object.createdAtMs,
    expires_at_ms: object.expiresAtMs,
    poll_at_ms: object.pollAtMs ?? null,
    detail: sealer.seal(Buffer.from(JSON.stringify(detail), 'utf8'), sealContextOf(keyId, id)),
  }
}

const detailSchema = z.discriminatedUnion('type', [
  z.object({
    type: z.literal('file'),
    filename: z.string(),
    bytes: z.number(),
    purpose: z.enum(['batch', 'batch_output']),
    input: z
      .object({
        endpoint: z.string(),
        lines: z.number(),
        worst: z
          .object({
            cost: z.number().transform((cost) => brand<NanoDollars>(cost)),
            priceVersion: z.string(),
          })
          .optional(),
      })
      .transform((input) => ({ ...input, worst: input.worst }))
      .optional(),
  }),
  z.object({
    type: z.literal('batch'),
    endpoint: z.string(),
    inputFileId: z.string(),
    charge: estimatedChargeSchema,
    polls: z.number(),
    shown: z.custom<JsonObject>(isJsonObject),
  }),
  z.object({
    type: z.literal('message-batch'),
    parts: z.array(
      z
        .object({ publicName: z.string(), charge: estimatedChargeSchema, requests: z.string().optional() })
        .transform((part) => ({ ...part, requests: part.requests })),
    ),
    polls: z.number(),
    shown: z.custom<JsonObject>(isJsonObject),
  }),
  z
    .object({
      type: z.enum(['message-file', 'gemini-file', 'cached-content']),
      shown: z.custom<JsonObject>(isJsonObject),
      uri: z.string().optional(),
    })
    .transform((shown) => ({ ...shown, uri: shown.uri })),
  z.object({ type: z.literal('gemini-upload'), sessionPath: z.string() }),
])

/** Undefined where the row cannot be read: the installation's secret has changed, or a newer Headgate wrote the row. */
function readRow(row: Selectable<RemoteObjectTable>, sealer: ByteSealer): RemoteObject | undefined {
  const opened = sealer.open(row.detail, sealContextOf(row.key_id, row.id))
  const detail = opened && detailSchema.safeParse(tryParseJson(opened.toString('utf8'))).data
  if (detail === undefined) return undefined
  return {
    keyId: brand<KeyId>(row.key_id),
    id: row.id,
    channelName: row.channel,
    credentialId: row.credential_id ?? undefined,
    publicName: row.public_name,
    upstreamModel: row.upstream_model,
    providerId: row.provider_id,
    createdAtMs: row.created_at_ms,
    expiresAtMs: row.expires_at_ms,
    pollAtMs: row.poll_at_ms ?? undefined,
    detail: detail.type === 'file' ? { ...detail, input: detail.input } : detail,
  }
}
