import type { DatabaseSync } from 'node:sqlite'
import type { PruneLimits, RequestLogStore } from '../../request-log/request-log-store.ts'
import { inTransaction } from '../sqlite/in-transaction.ts'
import { createRequestAppender } from './append-requests.ts'
import { createTrafficCounter, type TrafficCounter } from './count-traffic.ts'
import { queryTraffic, type TrafficReader } from './query-traffic.ts'
import type { RequestReads } from './read-requests.ts'
import { createRequestIds, type RequestIds } from './request-ids.ts'
import { deleteUnusedShapes } from './traffic-tables.ts'

/** The number of newest rows that are scanned before shapes are queried one by one. */
const WINDOW_ROWS = 4_000
/** The maximum number of rows deleted at a time, so that no writer waits long. SQLite reuses the freed pages. */
const ROWS_A_TIME = 1_000
/** The maximum number of batches of rows that are counted before a report, and during pruning. */
const MAX_COUNTS_BEFORE_REPORT = 24
const MAX_COUNTS_AT_ONCE = 2

/** The request log in a SQLite database with existing tables. Only one process owns the database. */
export function createSqlRequestLog(
  database: DatabaseSync,
  windowRows: number = WINDOW_ROWS,
): Omit<RequestLogStore, 'close' | 'copyTo'> {
  const appender = createRequestAppender(database)
  const ids = createRequestIds(database)
  const traffic = createTrafficCounter(database)
  const trafficReader = createTrafficReader(database)
  let loading: Promise<RequestReads> | undefined

  function loadReads(): Promise<RequestReads> {
    loading ??= import('./read-requests.ts').then(({ createRequestReads }) =>
      createRequestReads(database, { ids, windowRows }),
    )
    // If opening the file fails, the next call tries again.
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }

  return {
    async append({ bytes }) {
      appender.append(Buffer.from(bytes).toString('utf8'))
      traffic.countIfMany(ids.readEnds().last)
    },
    page: async (query) => (await loadReads()).page(query),
    find: async (requestId) => (await loadReads()).find(requestId),
    callers: async (query) => (await loadReads()).callers(query),
    async traffic(query) {
      const isBehind = countTraffic(traffic, MAX_COUNTS_BEFORE_REPORT)
      const countedUntilMs = isBehind ? ids.endOf(traffic.countedId()) : undefined
      return { ...(await queryTraffic(trafficReader, query)), countedUntilMs }
    },
    async prune(limits) {
      // Rows are counted before they are deleted.
      if (countTraffic(traffic, MAX_COUNTS_AT_ONCE)) return { hasMore: true }
      traffic.prune(limits.endedBeforeMs)
      const { hasMore, shapesWent } = pruneRequests(database, ids, limits)
      if (shapesWent) {
        appender.forgetShapes()
        traffic.forgetShapes()
      }
      return { hasMore }
    },
  }
}

function createTrafficReader(database: DatabaseSync): TrafficReader {
  return {
    async all(sql, values) {
      const statement = database.prepare(sql)
      statement.setReturnArrays(true)
      const rows: readonly unknown[] = statement.all(...values)
      return rows.flatMap((row) => (Array.isArray(row) ? [row] : []))
    },
  }
}

/** Counts batches of rows; true if uncounted rows remain. */
function countTraffic(traffic: TrafficCounter, maxBatches: number): boolean {
  for (let batches = 0; batches < maxBatches; batches += 1) if (!traffic.count()) return false
  return true
}

interface Pruned {
  readonly hasMore: boolean
  readonly shapesWent: boolean
}

/** Deletes some of the oldest rows beyond the limits. Once none are left to delete, also deletes the unused shapes. */
function pruneRequests(
  database: DatabaseSync,
  ids: RequestIds,
  { endedBeforeMs, maxRows }: PruneLimits,
): Pruned {
  const { first, last } = ids.readEnds()
  const firstRemaining = Math.max(ids.findFirstAt(endedBeforeMs), last - maxRows + 1)
  if (firstRemaining <= first) return { hasMore: false, shapesWent: false }
  const end = Math.min(firstRemaining, first + ROWS_A_TIME)
  const hasMore = end < firstRemaining
  return inTransaction(database, () => {
    database.prepare('delete from requests where id < ?').run(end)
    database.prepare('delete from failed_attempts where id < ?').run(end)
    return { hasMore, shapesWent: !hasMore && deleteShapes(database, end) }
  })
}

function deleteShapes(database: DatabaseSync, end: number): boolean {
  // The last `reach` row stays, since the next ID is derived from it.
  const { changes } = database
    .prepare('delete from reach where last_id < ? and last_id < (select max(last_id) from reach)')
    .run(end)
  if (Number(changes) === 0) return false
  database.exec(deleteUnusedShapes)
  return true
}
