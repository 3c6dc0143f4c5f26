import type { DatabaseSync } from 'node:sqlite'
import type { RequestLogStore } from '../../request-log/request-log-store.ts'
import { createRequestAppender } from './append-requests.ts'
import { pruneRequests } from './prune-requests.ts'
import type { RequestReads } from './read-requests.ts'
import { createRequestIds } from './request-ids.ts'

/** The number of newest rows that are scanned before shapes are queried one by one. */
const WINDOW_ROWS = 4_000

/** The log of requests in a SQLite database, whose tables are there. One process owns it. */
export function createSqlRequestLog(
  database: DatabaseSync,
  windowRows: number = WINDOW_ROWS,
): Omit<RequestLogStore, 'close' | 'copyTo'> {
  const appender = createRequestAppender(database)
  const ids = createRequestIds(database)
  let loading: Promise<RequestReads> | undefined

  function loadReads(): Promise<RequestReads> {
    loading ??= import('./read-requests.ts').then(({ createRequestReads }) =>
      createRequestReads(database, { ids, windowRows }),
    )
    // Where no file could be opened just then, the next one who asks may have more luck.
    loading.catch(() => {
      loading = undefined
    })
    return loading
  }

  return {
    append: async ({ bytes }) => appender.append(Buffer.from(bytes).toString('utf8')),
    page: async (query) => (await loadReads()).page(query),
    find: async (requestId) => (await loadReads()).find(requestId),
    async prune(limits) {
      const { hasMore, shapesWent } = pruneRequests(database, ids, limits)
      if (shapesWent) appender.forgetShapes()
      return { hasMore }
    },
  }
}
