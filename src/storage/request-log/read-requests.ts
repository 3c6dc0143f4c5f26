// The reader of the log, loaded for the first who asks, since Kysely takes most of the start of the log's thread.
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
import { pageRequests } from './page-requests.ts'
import type { RequestIds } from './request-ids.ts'
import type { RequestLogTables } from './request-log-tables.ts'
import { readSummary, selectSummaries } from './request-summary.ts'

export interface RequestReads {
  page(query: RequestQuery): Promise<RequestPage>
  callers(query: CallerQuery): Promise<CallerList>
  find(requestId: string): Promise<StoredRequest | undefined>
}

export interface RequestReadOptions {
  readonly ids: RequestIds
  /** The number of newest rows that are scanned before shapes are queried one by one. */
  readonly windowRows: number
}

export function createRequestReads(file: DatabaseSync, options: RequestReadOptions): RequestReads {
  const { run } = wrapDatabase(file)
  const runner = { run: async (...batch: Parameters<typeof run>) => run(...batch) }
  const database = new Kysely<RequestLogTables>({ dialect: createSqliteDialect(runner) })
  return {
    page: (query) => pageRequests({ database, ...options }, query),
    callers: (query) => listCallers({ database, ...options }, query),
    find: (requestId) => findRequest(database, requestId),
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
