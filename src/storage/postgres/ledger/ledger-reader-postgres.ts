import { GatewayError } from '../../../canonical/failure.ts'
import { createMutex } from '../../../kit/async/create-mutex.ts'
import { HOUR_MS } from '../../../kit/time/time-units.ts'
import type {
  ExportQuery,
  LedgerReader,
  NumberedRow,
  RowPage,
  RowQuery,
} from '../../../metering/ledger-reader.ts'
import { exportFormats } from '../../ledger/rows/export-format.ts'
import type { PostgresDatabase } from '../open-postgres.ts'
import { stateOf } from '../postgres-fault.ts'
import { addUpUsage } from './add-up-usage.ts'
import { compareSums } from './compare-sums.ts'
import { readRow } from './read-row.ts'
import { storedText } from './stored-text.ts'
import { addRowConditions, Conditions } from './subject-condition.ts'
import { writeLine } from './write-line.ts'

const QUERY_CANCELED = '57014'
const REPORT_WITHIN_MS = 30_000
const VERIFY_WITHIN_MS = HOUR_MS
const ROWS_A_CHUNK = 2_000

/** Reports on the ledger. The database computes them. */
export function createPostgresLedgerReader(database: PostgresDatabase): LedgerReader {
  const verifying = createMutex()
  const report = <Result>(work: Parameters<typeof database.longTransaction<Result>>[0]) =>
    inTime(database.longTransaction(work, REPORT_WITHIN_MS))
  return {
    usage: (query) => report((queries) => addUpUsage(queries, query)),
    rows: (query) => inTime(pageRows(database, query)),
    async rowsOf(requestId) {
      const sql = 'select * from ledger_rows where request_id = $1 order by attempt, number'
      return (await database.query(sql, [storedText(requestId)])).rows.map(readRow)
    },
    export: (query) => exportRows(database, query),
    // A verification may take long. It occupies one connection, however often it is asked for.
    verify: () => verifying.run(() => database.longTransaction(compareSums, VERIFY_WITHIN_MS)),
  }
}

async function inTime<Result>(reading: Promise<Result>): Promise<Result> {
  try {
    return await reading
  } catch (error) {
    if (error instanceof GatewayError && stateOf(error.cause) === QUERY_CANCELED)
      throw new GatewayError('report_too_slow')
    throw error
  }
}

async function pageRows(database: PostgresDatabase, query: RowQuery): Promise<RowPage> {
  const conditions = new Conditions([query.before ?? Number.MAX_SAFE_INTEGER])
  addRowConditions(conditions, query)
  const { rows } = await database.query(
    `select * from ledger_rows where number < $1 and ${conditions.sql} order by number desc limit ${query.limit + 1}`,
    conditions.parameters,
  )
  const found = rows.slice(0, query.limit).map(readRow)
  return { rows: found, next: rows.length > query.limit ? found.at(-1)?.number : undefined }
}

async function* exportRows(
  database: PostgresDatabase,
  query: ExportQuery,
): AsyncGenerator<Buffer, void, undefined> {
  const format = exportFormats[query.format]
  if (format.header !== '') yield Buffer.from(format.header)
  const newest = await database.query('select coalesce(max(number), 0) as last from ledger_rows')
  const last = Number(newest.rows[0]?.['last'])
  for (let after = 0; ; ) {
    const chunk = await readChunk(database, query, { after, last })
    if (chunk.length > 0) yield Buffer.from(chunk.map((row) => writeLine(row, format)).join(''))
    if (chunk.length < ROWS_A_CHUNK) return
    after = chunk.at(-1)?.number ?? last
  }
}

async function readChunk(
  database: PostgresDatabase,
  query: ExportQuery,
  { after, last }: { readonly after: number; readonly last: number },
): Promise<readonly NumberedRow[]> {
  const conditions = new Conditions([after, last])
  addRowConditions(conditions, query)
  const { rows } = await database.query(
    `select * from ledger_rows where number > $1 and number <= $2 and ${conditions.sql}
     order by number limit ${ROWS_A_CHUNK}`,
    conditions.parameters,
  )
  return rows.map(readRow)
}
