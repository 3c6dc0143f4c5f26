// The reader of the log. It is loaded for the first query, since loading Kysely takes most of the time to start the
// log's thread.
import type { DatabaseSync } from 'node:sqlite'
import { Kysely } from 'kysely'
import type {
  CallerList,
  CallerQuery,
  RequestPage,
  RequestQuery,
  StoredRequest,
} from '../../request-log/request-log-store.ts'
import { writeId } from '../id-bytes.ts'
import { createSqliteDialect } from '../sqlite/sqlite-dialect.ts'
import { wrapDatabase } from '../sqlite/sqlite-file.ts'
import { listCallers } from './list-callers.ts'
import { readPackedDetail } from './packed-detail.ts'
import { type PageSource, pageRequests } from './page-requests.ts'
import type { RequestLogTables } from './request-log-tables.ts'
import { readSummary, selectSummaries } from './request-summary.ts'

export interface RequestReads {
  page(query: RequestQuery): Promise<RequestPage>
  callers(query: CallerQuery): Promise<CallerList>
  find(requestId: string): Promise<StoredRequest | undefined>
}

export type RequestReadOptions = Omit<PageSource, 'database'>

export function createRequestReads(file: DatabaseSync, options: RequestReadOptions): RequestReads {
  const { run } = wrapDatabase(file)
  const runner = { run: async (...batch: Parameters<typeof run>) => run(...batch) }
  const database = new Kysely<RequestLogTables>({ dialect: createSqliteDialect(runner) })
  return readRequestsFrom({ database, ...options })
}

/** Creates the reader of the log for any database. */
export function readRequestsFrom(source: PageSource): RequestReads {
  return {
    page: (query) => pageRequests(source, query),
    callers: (query) => listCallers(source, query),
    find: (requestId) => findRequest(source.database, requestId),
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
