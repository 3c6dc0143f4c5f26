// Compares a copy with its data folder: the number of rows in every table, and checksums of their content.
import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { storedText } from '../postgres/ledger/stored-text.ts'
import type { PostgresQueries } from '../postgres/open-postgres.ts'
import { trafficColumns } from '../request-log/traffic-tables.ts'
import { type CopyCheck, compareFigures, type Figures } from './compare-figures.ts'
import { readTable } from './copy-tables.ts'
import { readColumns, type TypedColumn } from './insert-columns.ts'
import type { SourceFolder } from './source-folder.ts'
import { CAPTURES_TABLE, copiedTables } from './table-decisions.ts'
import { compareUsage } from './verify-usage.ts'

export async function verifyCopy(
  { keys, ledger, requests, captures }: SourceFolder,
  queries: PostgresQueries,
): Promise<CopyCheck> {
  const checks: CopyCheck[] = []
  for (const table of copiedTables) checks.push(await compareTable(keys, queries, table))
  if (captures !== undefined) checks.push(await compareTable(captures, queries, CAPTURES_TABLE))
  checks.push(await compareSql(ledger, queries, ledgerFigures))
  checks.push(await compareWindows(ledger, queries))
  checks.push(await compareUsage(ledger, queries))
  if (requests !== undefined) {
    checks.push(await compareSql(requests, queries, requestFigures))
    checks.push(await compareSql(requests, queries, failedFigures))
    checks.push(await compareSql(requests, queries, trafficFigures))
  }
  return {
    compared: checks.reduce((sum, { compared }) => sum + compared, 0),
    differences: checks.flatMap(({ differences }) => differences),
  }
}

async function compareTable(
  source: DatabaseSync,
  queries: PostgresQueries,
  table: string,
): Promise<CopyCheck> {
  const columns = await readColumns(queries, table)
  const sums = columns.map(() => 0n)
  let count = 0
  for (const row of readTable(source, { table, columns })) {
    count += 1
    for (const [index, value] of row.entries())
      sums[index] = (sums[index] ?? 0n) + weigh(value, columns[index])
  }
  const labels = [`rows of ${table}`, ...columns.map(({ name }) => `sum of ${table}.${name}`)]
  const weights = columns.map(
    ({ name, type }) =>
      `coalesce(sum(${isNumber(type) ? name : `octet_length(${name})`}), 0)::text as ${name}`,
  )
  const { rows } = await queries.query(
    `select count(*)::text as "rows!", ${weights.join(', ')} from ${table}`,
  )
  const copied = Object.values(rows[0] ?? {}).map(String)
  return compareFigures(
    new Map(labels.map((label, index) => [label, index === 0 ? String(count) : String(sums[index - 1])])),
    new Map(labels.map((label, index) => [label, copied[index] ?? '0'])),
  )
}

function isNumber(type: string): boolean {
  return type === 'integer' || type === 'bigint'
}

/** The weight of a value in a sum: a number's own value, or a text's length in bytes. */
function weigh(value: string | Buffer | null, column: TypedColumn | undefined): bigint {
  if (value === null) return 0n
  if (typeof value === 'string' && isNumber(column?.type ?? '')) return BigInt(value)
  return BigInt(Buffer.byteLength(value))
}

interface SqlFigures {
  /** Whether the first column of a row of figures is the beginning of each figure's name. */
  readonly isGrouped: boolean
  readonly label: string
  readonly source: string
  readonly copy: string
}

/** Times are summed modulo this number, so that no sum is too large for SQLite. */
const MODULUS = 1_000_003

const ledgerSums = [
  ...['cost', 'charged', 'attempt', 'number'].map((name) => `coalesce(sum(${name}), 0)`),
  `coalesce(sum(ended_at_ms % ${MODULUS}), 0)`,
]
const ledgerNames = ['rows', 'cost', 'charged', 'attempts', 'numbers', 'times of end', 'corrections']
const ledgerFigures: SqlFigures = {
  isGrouped: false,
  label: 'ledger',
  source: nameFigures(['count(*)', ...ledgerSums, 'count(corrects)'], ledgerNames, 'ledger'),
  copy: nameFigures(['count(*)', ...ledgerSums, 'count(corrects)'], ledgerNames, 'ledger_rows'),
}

const requestColumns = ['total_ms', 'first_content_ms', 'input_tokens', 'output_tokens', 'cache_read_tokens']
const otherRequestColumns = ['cache_write_tokens', 'reasoning_tokens', 'cost', 'charged']
const requestSums = [
  'count(*)',
  ...[...requestColumns, ...otherRequestColumns].map((name) => `coalesce(sum(${name}), 0)`),
  `coalesce(sum(ended_at_ms % ${MODULUS}), 0)`,
  'coalesce(sum(octet_length(request_id)), 0)',
]
const requestNames = ['rows', ...requestColumns, ...otherRequestColumns, 'times of end', 'bytes of IDs']
const requestFigures: SqlFigures = {
  isGrouped: false,
  label: 'requests',
  source: nameFigures(requestSums, requestNames, 'requests'),
  copy: nameFigures(requestSums, requestNames, 'requests'),
}

const failedSql = `select channel, cast(count(*) as text) as "requests" from failed_attempts group by channel`
const failedFigures: SqlFigures = {
  isGrouped: true,
  label: 'failed attempts on',
  source: failedSql,
  copy: failedSql,
}

const trafficSums = ['count(*)', ...trafficColumns.map((name) => `coalesce(sum(${name}), 0)`)]
const trafficSql = nameFigures(['unit', ...trafficSums], ['unit', 'rows', ...trafficColumns], 'traffic')
const trafficFigures: SqlFigures = {
  isGrouped: true,
  label: 'traffic of unit',
  source: `${trafficSql} group by unit`,
  copy: `${trafficSql} group by unit`,
}

function nameFigures(expressions: readonly string[], names: readonly string[], table: string): string {
  const columns = expressions.map((sql, index) => `cast(${sql} as text) as "${names[index] ?? ''}"`)
  return `select ${columns.join(', ')} from ${table}`
}

async function compareSql(
  database: DatabaseSync,
  queries: PostgresQueries,
  { isGrouped, label, source, copy }: SqlFigures,
): Promise<CopyCheck> {
  const { rows } = await queries.query(copy)
  const figuresOf = (found: readonly Readonly<Record<string, unknown>>[]): Figures =>
    new Map(
      found.flatMap((row) => {
        const [first, ...rest] = Object.entries(row)
        const prefix = isGrouped ? `${label} ${String(first?.[1])}` : label
        const figures = isGrouped || first === undefined ? rest : [first, ...rest]
        return figures.map(([name, value]) => [`${prefix}, ${name}`, String(value)] as const)
      }),
    )
  return compareFigures(figuresOf(database.prepare(source).all()), figuresOf(rows))
}

/** Compares the sum of each budget's windows. */
async function compareWindows(source: DatabaseSync, queries: PostgresQueries): Promise<CopyCheck> {
  const statement = source.prepare(
    `select counters.name as counter, count(*) as windows, sum(spent) as spent, sum(pruned) as pruned
     from windows join counters on counters.id = windows.counter group by counters.id`,
  )
  statement.setReadBigInts(true)
  const { rows } = await queries.query(
    `select counter, count(*)::text as windows, sum(settled)::text as spent, sum(pruned)::text as pruned
     from budget_windows group by counter`,
  )
  const figuresOf = (found: readonly Readonly<Record<string, SQLOutputValue | unknown>>[]): Figures =>
    new Map(
      found.flatMap((row) =>
        ['windows', 'spent', 'pruned'].map(
          (name) => [`budget ${storedText(String(row['counter']))}, ${name}`, String(row[name])] as const,
        ),
      ),
    )
  return compareFigures(figuresOf(statement.all()), figuresOf(rows))
}
