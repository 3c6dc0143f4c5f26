import type { DatabaseSync, SQLOutputValue } from 'node:sqlite'
import { readFolderCopy } from '../postgres/folder-copy.ts'
import type { PostgresDatabase, PostgresQueries } from '../postgres/open-postgres.ts'
import { addDays, dayOfId, firstIdAt, IDS_PER_DAY } from '../postgres/request-log/request-days.ts'
import { shapeNameColumns } from '../request-log/shape-columns.ts'
import { numberOf } from '../sqlite/column-values.ts'
import { copyNames } from './copy-names.ts'
import { insertColumns, type TypedColumn } from './insert-columns.ts'

const ROWS_A_TIME = 5_000

const typedShapeColumns: readonly TypedColumn[] = [
  ...shapeNameColumns.map((name) => ({ name, type: 'text' })),
  { name: 'status', type: 'integer' },
  { name: 'error', type: 'text' },
  { name: 'is_stream', type: 'integer' },
  { name: 'duration_class', type: 'integer' },
]
const copiedColumns: readonly TypedColumn[] = [
  ...['ended_at_ms', 'total_ms', 'first_content_ms', 'input_tokens', 'output_tokens'].map(asNumber),
  { name: 'request_id', type: 'bytea' },
  { name: 'detail', type: 'text' },
  ...['cache_read_tokens', 'cache_write_tokens', 'reasoning_tokens', 'cost', 'charged'].map(asNumber),
]
const columns: readonly TypedColumn[] = [asNumber('id'), asNumber('shape_id'), ...copiedColumns]
const attemptColumns: readonly TypedColumn[] = [
  { name: 'channel', type: 'text' },
  ...['id', 'shape_id'].map(asNumber),
]

function asNumber(name: string): TypedColumn {
  return { name, type: 'bigint' }
}

/** Copies the requests after the last copied one, in order. Reports the number of requests copied so far. */
export async function copyRequests(
  source: DatabaseSync,
  database: PostgresDatabase,
  onCopied: (rows: number) => void,
): Promise<void> {
  const shapeIds = await copyNames(source, database, { table: 'shapes', columns: typedShapeColumns })
  const names = copiedColumns.map(({ name }) => name)
  const next = source.prepare(
    `select id, shape_id, ${names.join(', ')} from requests where id > ? order by id limit ${ROWS_A_TIME}`,
  )
  const failed = source.prepare(
    'select channel, id from failed_attempts where id between ? and ? order by id',
  )
  const state = await database.query('select last_id from request_log_state')
  let lastId = Number(state.rows[0]?.['last_id'])
  let last = (await readFolderCopy(database))?.lastRequest ?? 0
  let copied = 0
  for (;;) {
    const found = next.all(last)
    if (found.length === 0) return
    const rows = found.map((row) => {
      // The IDs are derived from times, like the IDs of rows that a node writes.
      lastId = Math.max(lastId + 1, firstIdAt(numberOf(row['ended_at_ms'])))
      return [lastId, shapeIds.get(numberOf(row['shape_id'])), ...names.map((name) => storedBytes(row[name]))]
    })
    const first = numberOf(found[0]?.['id'])
    last = numberOf(found.at(-1)?.['id'])
    const copies = new Map(found.map(({ id }, index) => [numberOf(id), rows[index] ?? []]))
    const attempts = failed.all(first, last).flatMap(({ channel, id }) => {
      const [copiedId, shapeId] = copies.get(numberOf(id)) ?? []
      return copiedId === undefined ? [] : [[channel, copiedId, shapeId]]
    })
    const batch = { rows, attempts, last, lastId }
    await addDays(database, [...new Set(rows.map(([id]) => dayOfId(Number(id))))])
    await database.transaction((queries) => writeBatch(queries, batch))
    copied += rows.length
    onCopied(copied)
  }
}

function storedBytes(value: SQLOutputValue | undefined): unknown {
  return value instanceof Uint8Array ? Buffer.from(value) : value
}

interface RequestBatch {
  readonly rows: readonly (readonly unknown[])[]
  /** The channels on which the rows failed, each with the ID and the shape of its row. */
  readonly attempts: readonly (readonly unknown[])[]
  /** The last ID in the data folder. */
  readonly last: number
  /** The last ID in PostgreSQL. */
  readonly lastId: number
}

async function writeBatch(
  queries: PostgresQueries,
  { rows, attempts, last, lastId }: RequestBatch,
): Promise<void> {
  await insertColumns(queries, { table: 'requests', columns, rows })
  await insertColumns(queries, { table: 'failed_attempts', columns: attemptColumns, rows: attempts })
  const ids = [rows.map(([id]) => id), rows.map(([, shape]) => shape)]
  await queries.query(
    `insert into reach (shape_id, first_id, last_id)
     select shape_id, min(id), max(id) from unnest($1::bigint[], $2::bigint[]) as t(id, shape_id) group by shape_id
     on conflict (shape_id) do update set last_id = excluded.last_id`,
    ids,
  )
  await queries.query(
    `insert into request_days as d (day, rows)
     select id / ${IDS_PER_DAY}, count(*) from unnest($1::bigint[]) as t(id) group by 1
     on conflict (day) do update set rows = d.rows + excluded.rows`,
    [ids[0]],
  )
  await queries.query('update request_log_state set last_id = $1, appended = appended + $2', [
    lastId,
    rows.length,
  ])
  await queries.query('update folder_copy set last_request = $1', [last])
}

/**
 * Deletes the copies of requests that retention has deleted since they were copied. Retention deletes the oldest
 * first.
 */
export async function dropPrunedRequests(source: DatabaseSync, database: PostgresDatabase): Promise<void> {
  const last = (await readFolderCopy(database))?.lastRequest ?? 0
  const present = source.prepare('select count(*) as rows from requests where id <= ?').get(last)?.['rows']
  const { rows } = await database.query('select coalesce(sum(rows), 0)::bigint as rows from request_days')
  const beyond = Number(rows[0]?.['rows']) - numberOf(present)
  if (beyond <= 0) return
  await database.query(
    `with gone as (
       delete from requests where id in (select id from requests order by id limit $1) returning id
     ), fewer as (select id / ${IDS_PER_DAY} as day, count(*) as count from gone group by 1)
     update request_days as d set rows = rows - fewer.count from fewer where d.day = fewer.day`,
    [beyond],
  )
  await database.query(
    'delete from failed_attempts where id < (select coalesce(min(id), 9223372036854775807) from requests)',
  )
}
