import type { ExpressionBuilder, Kysely } from 'kysely'
import type { RequestQuery } from '../../request-log/request-log-store.ts'
import type { IdBounds } from './request-ids.ts'
import type { RequestLogTables } from './request-log-tables.ts'
import { fitsShape } from './shape-filter.ts'

/**
 * The IDs of requests that failed on the queried channel before another channel was called, newest first. They are
 * read by channel in ID order, each with its shape, until the page is full.
 */
export async function findFailedAttempts(
  database: Kysely<RequestLogTables>,
  { channel, ...others }: RequestQuery,
  { low, high }: IdBounds,
): Promise<readonly number[]> {
  if (channel === undefined) return []
  const { minMs } = others
  const rows = await database
    .selectFrom('failed_attempts')
    // SQLite runs a cross join in the written order.
    .crossJoin('shapes')
    .select('failed_attempts.id')
    .where('failed_attempts.channel', '=', channel)
    .where('failed_attempts.id', '>', low)
    .where('failed_attempts.id', '<', high)
    .whereRef('shapes.id', '=', 'failed_attempts.shape_id')
    .where(fitsShape(others))
    .$if(minMs !== undefined, (narrowed) =>
      narrowed.where(({ exists, selectFrom }) =>
        exists(
          selectFrom('requests')
            .select('requests.id')
            .whereRef('requests.id', '=', 'failed_attempts.id')
            .where('requests.total_ms', '>=', minMs ?? 0),
        ),
      ),
    )
    .orderBy('failed_attempts.id', 'desc')
    .limit(others.limit + 1)
    .execute()
  return rows.map(({ id }) => id)
}

/** Whether a request matches, by its own channel or by a channel on which it failed. */
export function fitsByAttempts(query: RequestQuery) {
  const { channel, ...others } = query
  return (request: ExpressionBuilder<RequestLogTables, 'requests' | 'shapes'>) => {
    const fits = fitsShape(query)(request)
    if (channel === undefined) return fits
    const failed = request
      .selectFrom('failed_attempts')
      .select('failed_attempts.id')
      .where('failed_attempts.channel', '=', channel)
      .whereRef('failed_attempts.id', '=', 'requests.id')
    return request.or([fits, request.and([fitsShape(others)(request), request.exists(failed)])])
  }
}

/** The newest IDs of two lists that have no ID in common. */
export function mergeNewest(
  left: readonly number[],
  right: readonly number[],
  wanted: number,
): readonly number[] {
  if (right.length === 0) return left
  return [...left, ...right].sort((a, b) => b - a).slice(0, wanted)
}
