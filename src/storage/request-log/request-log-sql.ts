import type { Kysely } from 'kysely'
import type { RequestLogStore, StoredRequest } from '../../request-log/request-log-store.ts'
import { writeId } from '../id-bytes.ts'
import { createRequestAppender } from './append-requests.ts'
import { readPackedDetail } from './packed-request.ts'
import { pageRequests, WINDOW_ROWS } from './page-requests.ts'
import { pruneRequests } from './prune-requests.ts'
import type { RequestLogTables } from './request-log-tables.ts'
import { readSummary, selectSummaries } from './request-summary.ts'

/** The log of requests over any database that Kysely speaks to. */
export function createSqlRequestLog(
  database: Kysely<RequestLogTables>,
  windowRows: number = WINDOW_ROWS,
): Omit<RequestLogStore, 'close' | 'copyTo'> {
  const appender = createRequestAppender(database)
  return {
    append: ({ bytes }) => appender.append(Buffer.from(bytes).toString('utf8')),
    page: (query) => pageRequests(database, query, windowRows),
    find: (requestId) => findRequest(database, requestId),
    async prune(limits) {
      const { hasMore, shapesWent } = await pruneRequests(database, limits)
      if (shapesWent) appender.forgetShapes()
      return { hasMore }
    },
  }
}

async function findRequest(
  database: Kysely<RequestLogTables>,
  requestId: string,
): Promise<StoredRequest | undefined> {
  const row = await selectSummaries(database)
    .select('requests.detail')
    .where('requests.request_id', '=', writeId(requestId, 'request'))
    .executeTakeFirst()
  return row === undefined ? undefined : { ...readSummary(row), ...readPackedDetail(row.detail) }
}
