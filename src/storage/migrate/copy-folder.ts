// The two steps of a copy. The first copies the history and may be repeated. The second copies the rest once nothing
// changes any more.
import { OperatorError } from '../../canonical/operator-error.ts'
import { finishFolderCopy } from '../postgres/folder-copy.ts'
import type { PostgresDatabase, PostgresQueries } from '../postgres/open-postgres.ts'
import { numberOf } from '../sqlite/column-values.ts'
import type { CopyCheck } from './compare-figures.ts'
import { copyLedgerRows, dropPrunedRows } from './copy-ledger-rows.ts'
import { copyRequests, dropPrunedRequests } from './copy-requests.ts'
import { continueNumbers, copyTables } from './copy-tables.ts'
import { copyTraffic, copyTrafficState } from './copy-traffic.ts'
import { copyPrunedUsage, copyUsage } from './copy-usage.ts'
import { copyIntents, copyWindows } from './copy-windows.ts'
import type { SourceFolder } from './source-folder.ts'
import { CAPTURES_TABLE, copiedTables } from './table-decisions.ts'
import { verifyCopy } from './verify-copy.ts'

/** Called with the work in progress, and the number of its rows that are done. */
export type ReportCopy = (work: string, rows?: number) => void

/** The rows that one run copied. */
export interface CopiedHistory {
  readonly ledgerRows: number
  readonly requests: number
}

/** Copies the rows of the ledger and the request log that are not in the database yet. */
export async function copyHistory(
  { ledger, requests }: SourceFolder,
  database: PostgresDatabase,
  report: ReportCopy,
): Promise<CopiedHistory> {
  const copied = { ledgerRows: 0, requests: 0 }
  report('ledger')
  await copyLedgerRows(ledger, database, (rows) => {
    copied.ledgerRows = rows
    report('ledger', rows)
  })
  report('usage')
  await copyUsage(ledger, database)
  if (requests === undefined) return copied
  report('request log')
  await copyRequests(requests, database, (rows) => {
    copied.requests = rows
    report('request log', rows)
  })
  report('traffic')
  await copyTraffic(requests, database)
  return copied
}

/**
 * Copies everything else after the history, and verifies the whole copy. `seal` writes the secrets once that has
 * succeeded. Throws where anything differs; the database must not be used then.
 */
export async function finishCopy(
  source: SourceFolder,
  database: PostgresDatabase,
  {
    report,
    seal,
  }: { readonly report: ReportCopy; readonly seal: (queries: PostgresQueries) => Promise<void> },
): Promise<CopyCheck> {
  const { ledger, requests } = source
  report('deleted rows')
  await dropPrunedRows(ledger, database)
  if (requests !== undefined) await dropPrunedRequests(requests, database)
  report('budgets, keys, people, versions and answers')
  await database.transaction(async (queries) => {
    await copyWindows(ledger, queries)
    await copyIntents(ledger, queries)
    await copyPrunedUsage(ledger, queries)
    await copyTables(source, queries)
    await continueNumbers(queries)
  })
  if (requests !== undefined) await copyTrafficState(requests, database)
  report('verification')
  const check = await verifyCopy(source, database)
  if (check.differences.length > 0) throw describeDifferences(check, database.name)
  await database.transaction(async (queries) => {
    await seal(queries)
    await finishFolderCopy(queries)
  })
  return check
}

const MAX_SHOWN = 10

function describeDifferences({ compared, differences }: CopyCheck, name: string): OperatorError {
  const shown = differences.slice(0, MAX_SHOWN)
  const more = differences.length - shown.length
  return new OperatorError(
    'migration_differs',
    `the copy in the database ${name} is not the data folder: ${differences.length} of ${compared} figures differ: ${shown.join('; ')}${more > 0 ? `; and ${more} more` : ''}`,
  )
}

/** The number of rows in the data folder, by table, without captures where they are not part of the source. */
export function countSource({
  keys,
  ledger,
  requests,
  captures,
}: SourceFolder): Readonly<Record<string, number>> {
  const count = (database: SourceFolder['keys'], table: string) =>
    numberOf(database.prepare(`select count(*) as rows from ${table}`).get()?.['rows'])
  return {
    ledger: count(ledger, 'ledger'),
    windows: count(ledger, 'windows'),
    requests: requests === undefined ? 0 : count(requests, 'requests'),
    ...(captures !== undefined && { captures: count(captures, CAPTURES_TABLE) }),
    ...Object.fromEntries(copiedTables.map((table) => [table, count(keys, table)])),
  }
}
