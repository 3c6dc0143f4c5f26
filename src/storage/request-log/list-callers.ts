import type { Kysely } from 'kysely'
import { z } from 'zod'
import { parseJson } from '../../kit/json/parse-json.ts'
import type { CallerList, CallerQuery, StoredCaller } from '../../request-log/request-log-store.ts'
import { findPageIds, type PageSource } from './page-requests.ts'
import type { RequestLogTables } from './request-log-tables.ts'

/**
 * The maximum number of newest requests that are scanned, so that the time does not depend on the length of the log.
 */
const MAX_LOOKED_AT = 500
const MAX_CALLERS = 50

/** The third of the packed values is the address, and the fifteenth is the client. */
const callerSchema = z.tuple([z.string(), z.string(), z.string()], z.unknown()).transform((values) => {
  const client = values[14]
  return { address: values[2], client: typeof client === 'string' ? client : undefined }
})

/** The client programs of the newest matching requests, the most recent first. */
export async function listCallers(source: PageSource, query: CallerQuery): Promise<CallerList> {
  const ids = await findPageIds(source, { ...query, limit: MAX_LOOKED_AT })
  const rows = await readRows(source.database, ids.slice(0, MAX_LOOKED_AT))
  const callers = new Map<string, StoredCaller>()
  for (const row of rows) {
    const { address, client } = callerSchema.parse(parseJson(row.detail))
    const name = JSON.stringify([address, client, row.user])
    const known = callers.get(name)
    const caller = known ?? { address, client, user: row.user, requests: 0, lastAtMs: row.atMs, models: [] }
    const models = row.model === '' || caller.models.includes(row.model) ? [] : [row.model]
    callers.set(name, {
      ...caller,
      requests: caller.requests + 1,
      models: [...caller.models, ...models],
    })
  }
  return {
    callers: [...callers.values()].slice(0, MAX_CALLERS),
    lookedAt: rows.length,
    sinceMs: rows.at(-1)?.atMs,
  }
}

/** Returns the rows newest first. */
async function readRows(database: Kysely<RequestLogTables>, ids: readonly number[]) {
  if (ids.length === 0) return []
  const rows = await database
    .selectFrom('requests')
    .innerJoin('shapes', 'shapes.id', 'requests.shape_id')
    .select(['requests.ended_at_ms', 'requests.detail', 'shapes.user_name', 'shapes.model'])
    .where('requests.id', 'in', ids)
    .orderBy('requests.id', 'desc')
    .execute()
  return rows.map(({ ended_at_ms: atMs, detail, user_name: user, model }) => ({
    atMs,
    detail,
    model,
    user: user === '' ? undefined : user,
  }))
}
