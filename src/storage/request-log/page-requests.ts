import type { Kysely } from 'kysely'
import type { RequestPage, RequestQuery, StoredSummary } from '../../request-log/request-log-store.ts'
import { writeId } from '../id-bytes.ts'
import { findFailedAttempts, fitsByAttempts, mergeNewest } from './failed-attempts.ts'
import { mergeShapes } from './merge-shapes.ts'
import type { IdBounds, IdSearch } from './request-ids.ts'
import type { RequestLogTables } from './request-log-tables.ts'
import { readSummary, selectSummaries } from './request-summary.ts'
import { fitsShape } from './shape-filter.ts'

/** The maximum size of the second scan, as a multiple of the window. Beyond that, the shapes are merged instead. */
const MAX_WINDOW_FACTOR = 5

export interface PageSource {
  readonly database: Kysely<RequestLogTables>
  readonly ids: IdSearch
  /** The number of newest rows that are scanned before shapes are queried one by one. */
  readonly windowRows: number
}

/**
 * One page of rows, newest first. If many rows match the filter, the page is read from the newest rows. If few match,
 * the matching shapes are merged; each shape has its rows in order in the index. Either way the time depends on the
 * page and on the number of shapes, not on the number of rows.
 */
export async function pageRequests(
  { database, ids, windowRows }: PageSource,
  query: RequestQuery,
): Promise<RequestPage> {
  const found = await findPageIds({ database, ids, windowRows }, query)
  const rows = await readSummaries(database, found.slice(0, query.limit))
  return { rows, hasMore: found.length > query.limit }
}

/** The IDs of a page, newest first, and one ID more if there are more rows. */
export async function findPageIds(source: PageSource, query: RequestQuery): Promise<readonly number[]> {
  const { database, ids } = source
  const bounds = await ids.findBounds(query)
  if (query.requestIds !== undefined) return findNamed(database, query, bounds)
  const shaped = await findByShape(source, query, bounds)
  const failed = await findFailedAttempts(database, query, bounds)
  return mergeNewest(shaped, failed, query.limit + 1)
}

async function findByShape(
  { database, ids, windowRows }: PageSource,
  query: RequestQuery,
  bounds: IdBounds,
): Promise<readonly number[]> {
  const wanted = query.limit + 1
  if (!hasFilter(query)) return readNewest(database, bounds, wanted)
  for (let rows = windowRows, tries = 0; tries < 2; tries += 1) {
    const low = await ids.goBack(bounds, rows)
    const near = await lookThrough(database, query, { low, high: bounds.high })
    if (near.length === wanted || low <= bounds.low) return near
    // The next window is large enough to fill the page at this rate of matches, with half as many rows again to
    // spare.
    rows = Math.ceil((rows * wanted * 1.5) / near.length)
    if (rows > windowRows * MAX_WINDOW_FACTOR) break
  }
  return mergeShapes(database, { filter: query, bounds, wanted })
}

function hasFilter({ before: _before, after: _after, limit: _limit, ...query }: RequestQuery): boolean {
  const { sinceMs: _sinceMs, untilMs: _untilMs, ...filter } = query
  return Object.values(filter).some((value) => value !== undefined)
}

async function readNewest(
  database: Kysely<RequestLogTables>,
  { low, high }: IdBounds,
  wanted: number,
): Promise<readonly number[]> {
  const query = database.selectFrom('requests').select('id').where('id', '>', low).where('id', '<', high)
  const rows = await query.orderBy('id', 'desc').limit(wanted).execute()
  return rows.map(({ id }) => id)
}

/** The matching rows with the given request IDs. */
async function findNamed(
  database: Kysely<RequestLogTables>,
  query: RequestQuery,
  { low, high }: IdBounds,
): Promise<readonly number[]> {
  const names = (query.requestIds ?? []).map((id) => writeId(id, 'request'))
  if (names.length === 0) return []
  const rows = await database
    .selectFrom('requests')
    .innerJoin('shapes', 'shapes.id', 'requests.shape_id')
    .select('requests.id')
    .where('requests.request_id', 'in', names)
    .where('requests.id', '>', low)
    .where('requests.id', '<', high)
    .$if(query.minMs !== undefined, (narrowed) => narrowed.where('total_ms', '>=', query.minMs ?? 0))
    .where(fitsByAttempts(query))
    .orderBy('requests.id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return rows.map(({ id }) => id)
}

async function lookThrough(
  database: Kysely<RequestLogTables>,
  query: RequestQuery,
  { low, high }: IdBounds,
): Promise<readonly number[]> {
  const rows = await database
    .selectFrom('requests')
    // A cross join runs in the written order: each row is read, then its shape, however many shapes there are.
    .crossJoin('shapes')
    .select('requests.id')
    .where('requests.id', '>', low)
    .where('requests.id', '<', high)
    .$if(query.minMs !== undefined, (narrowed) => narrowed.where('total_ms', '>=', query.minMs ?? 0))
    .whereRef('shapes.id', '=', 'requests.shape_id')
    .where(fitsShape(query))
    .orderBy('requests.id', 'desc')
    .limit(query.limit + 1)
    .execute()
  return rows.map(({ id }) => id)
}

async function readSummaries(
  database: Kysely<RequestLogTables>,
  ids: readonly number[],
): Promise<readonly StoredSummary[]> {
  if (ids.length === 0) return []
  const rows = await selectSummaries(database).where('requests.id', 'in', ids).execute()
  return rows.map(readSummary).sort((a, b) => b.id - a.id)
}
