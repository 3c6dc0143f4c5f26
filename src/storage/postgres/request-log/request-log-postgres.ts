// The log of ended requests of all nodes. It uses the same reader as SQLite.
import { Kysely } from 'kysely'
import { OperatorError } from '../../../canonical/operator-error.ts'
import type { RequestLogStore } from '../../../request-log/request-log-store.ts'
import { queryTraffic, type TrafficReader } from '../../request-log/query-traffic.ts'
import { readRequestsFrom } from '../../request-log/read-requests.ts'
import type { IdSearch } from '../../request-log/request-ids.ts'
import type { RequestLogTables } from '../../request-log/request-log-tables.ts'
import type { PostgresDatabase, PostgresQueries } from '../open-postgres.ts'
import { createPostgresDialect } from '../postgres-dialect.ts'
import { appendRows } from './append-rows.ts'
import { countTraffic, isCountDue } from './count-traffic-postgres.ts'
import { pruneRequests } from './prune-requests.ts'
import { firstIdAt } from './request-days.ts'

/** The number of newest rows that are scanned before shapes are queried one by one. */
const WINDOW_ROWS = 4_000
/** The maximum number of batches of rows that are counted before a report. */
const MAX_COUNTS_BEFORE_REPORT = 24

export interface SharedLogOptions {
  readonly windowRows?: number
  /** Whether this node is the one that prunes. */
  readonly mayPrune?: () => boolean
}

/** The owner of the pool closes it, not the request log. */
export function createPostgresRequestLog(
  database: PostgresDatabase,
  { windowRows = WINDOW_ROWS, mayPrune = () => true }: SharedLogOptions = {},
): RequestLogStore {
  const queries = new Kysely<RequestLogTables>({ dialect: createPostgresDialect(database, 'side-by-side') })
  const reads = readRequestsFrom({ database: queries, ids: createIdSearch(database), windowRows })
  const trafficReader = createTrafficReader(database)
  return {
    ...reads,
    async append(rows) {
      const appended = await appendRows(database, rows)
      if (await isCountDue(database, appended)) await countTraffic(database)
    },
    async traffic(query) {
      let isBehind = true
      for (let batches = 0; isBehind && batches < MAX_COUNTS_BEFORE_REPORT; batches += 1)
        isBehind = await countTraffic(database)
      const countedUntilMs = isBehind ? await readCountedUntil(database) : undefined
      return { ...(await queryTraffic(trafficReader, query)), countedUntilMs }
    },
    prune: async (limits) => (mayPrune() ? pruneRequests(database, limits) : { hasMore: false }),
    async copyTo() {
      throw new OperatorError('not_with_postgres', 'the request log is in the database')
    },
    close: async () => undefined,
  }
}

/** IDs are derived from times, so that times are found without reading rows. */
function createIdSearch(database: PostgresQueries): IdSearch {
  return {
    findBounds({ before, after, sinceMs, untilMs }) {
      const since = sinceMs === undefined ? 0 : firstIdAt(sinceMs) - 1
      const until = untilMs === undefined ? Number.MAX_SAFE_INTEGER : firstIdAt(untilMs + 1)
      return { low: Math.max(since, after ?? 0), high: Math.min(until, before ?? until) }
    },
    async goBack({ low, high }, rows) {
      const found = await database.query(
        `select id from requests where id > $1 and id < $2 order by id desc offset $3 limit 1`,
        [low, high, rows],
      )
      return found.rows[0] === undefined ? low : Number(found.rows[0]['id'])
    },
  }
}

function createTrafficReader(database: PostgresQueries): TrafficReader {
  return {
    async all(sql, values) {
      let number = 0
      const numbered = sql.replaceAll('?', () => {
        number += 1
        return `$${number}`
      })
      const { rows } = await database.query(numbered, values)
      return rows.map((row) => Object.values(row))
    },
  }
}

async function readCountedUntil(database: PostgresQueries): Promise<number | undefined> {
  const { rows } = await database.query(
    'select ended_at_ms from requests where id = (select counted_id from traffic_state)',
  )
  return rows[0] === undefined ? undefined : Number(rows[0]['ended_at_ms'])
}
