// Sends packed rows to the server as bytes. The server parses them, so that writing the log costs this process next
// to nothing.
import { MINUTE_MS } from '../../../kit/time/time-units.ts'
import type { PackedRows } from '../../../request-log/pack-row.ts'
import { durationEdgesMs } from '../../request-log/duration-class.ts'
import { shapeColumns } from '../../request-log/shape-columns.ts'
import { DATABASE_NOW } from '../ledger/epochs.ts'
import { numberOfColumn } from '../number-of-column.ts'
import type { PostgresDatabase, PostgresQueries } from '../open-postgres.ts'
import { stateOf } from '../postgres-fault.ts'
import { addDays, IDS_PER_DAY, IDS_PER_MS } from './request-days.ts'

/** A row whose time is further than this ahead of the database's clock is stored with the current time. */
const MAX_AHEAD_MS = MINUTE_MS
/** The SQLSTATE where no partition accepts a row. */
const CHECK_VIOLATION = '23514'

/**
 * The summaries of packed rows in order. PostgreSQL refuses two things that JSON may hold: the null character, and
 * lone surrogates. The packed JSON escapes a surrogate only where it is a lone one.
 */
const lines = `
  texts as (select line, place from string_to_table($1::text, E'\\n') with ordinality as t(line, place)),
  rows as materialized (
    select place, detail, regexp_replace(line, '\\\\u(0000|d[89a-f][0-9a-f]{2})', '\\\\ufffd', 'g')::jsonb as s
    from (select place, line, lead(line) over (order by place) as detail from texts) as pairs
    where place % 2 = 1 and line <> ''
  ),
  read as materialized (
    select (place + 1) / 2 as number, detail, s ->> 0 as request_id,
      least((s ->> 1)::bigint, ${DATABASE_NOW} + ${MAX_AHEAD_MS}) as ended_at_ms, (s ->> 2)::bigint as total_ms,
      (s ->> 3)::bigint as first_content_ms, coalesce(s ->> 4, '') as key_id, coalesce(s ->> 5, '') as key_name,
      coalesce(s ->> 6, '') as group_name, coalesce(s ->> 7, '') as format, coalesce(s ->> 8, '') as model,
      coalesce(s ->> 9, '') as channel, coalesce(s ->> 10, '') as upstream_model, (s ->> 11)::integer as status,
      coalesce(s ->> 12, '') as error, (s ->> 13)::integer as is_stream, (s ->> 14)::bigint as input_tokens,
      (s ->> 15)::bigint as output_tokens, (s ->> 16)::bigint as cache_read_tokens,
      (s ->> 17)::bigint as cache_write_tokens, (s ->> 18)::bigint as reasoning_tokens, (s ->> 19)::bigint as cost,
      (s ->> 20)::bigint as charged, coalesce(s ->> 21, '') as user_name,
      coalesce(s -> 22, '[]') as failed_channels,
      width_bucket((s ->> 2)::bigint, array[${durationEdgesMs.join(', ')}]::bigint[]) as duration_class
    from rows
  )`

const shape = shapeColumns.join(', ')

const addShapes = `with ${lines}
  insert into shapes (${shape})
  select distinct ${shape} from read where not exists (
    select 1 from shapes where (${qualify('shapes', shape)}) = (${qualify('read', shape)}))
  on conflict do nothing`

/** The stored bytes of a request ID, as in SQLite: sixteen bytes for an ID that Headgate minted, otherwise its text. */
const requestIdBytes = `case
  when request_id ~ '^req_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
    then decode(replace(substr(request_id, 5), '-', ''), 'hex')
  when octet_length(request_id) = 16 then convert_to(request_id, 'UTF8') || '\\x00'::bytea
  else convert_to(request_id, 'UTF8') end`

const addRows = `with ${lines},
  numbered as (
    select read.*, number + greatest($2::bigint, max(ended_at_ms * ${IDS_PER_MS} - number)
      over (order by number rows unbounded preceding)) as id
    from read
  ),
  added as (
    insert into requests (id, shape_id, ended_at_ms, total_ms, first_content_ms, input_tokens, output_tokens, request_id,
      detail, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost, charged)
    select numbered.id, shapes.id, ended_at_ms, total_ms, first_content_ms, input_tokens, output_tokens,
      ${requestIdBytes}, detail, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost, charged
    from numbered join shapes on (${qualify('shapes', shape)}) = (${qualify('numbered', shape)})
    returning id, shape_id
  ),
  failed as (
    insert into failed_attempts (channel, id, shape_id)
    select name, added.id, added.shape_id from added join numbered on numbered.id = added.id
    cross join jsonb_array_elements_text(numbered.failed_channels) as names(name)
    on conflict do nothing
  ),
  reached as (
    insert into reach (shape_id, first_id, last_id) select shape_id, min(id), max(id) from added group by shape_id
    on conflict (shape_id) do update set last_id = excluded.last_id
  ),
  days as (
    insert into request_days as d (day, rows)
    select id / ${IDS_PER_DAY}, count(*) from added group by 1
    on conflict (day) do update set rows = d.rows + excluded.rows
  )
  update request_log_state as state
  set last_id = greatest(state.last_id, found.last_id), appended = state.appended + found.count
  from (select max(id) as last_id, count(*) as count from added) as found
  where found.count > 0 returning state.appended`

const neededDays = `with ${lines}
  select distinct greatest($2::bigint, ended_at_ms * ${IDS_PER_MS}) / ${IDS_PER_DAY} as day
  from read order by day`

/** Appends rows, and returns the number of rows appended since the log began. */
export async function appendRows(database: PostgresDatabase, { bytes }: PackedRows): Promise<number> {
  // The bytes are sent as they are and the server reads them as text, so that nothing is decoded here.
  const packed = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length)
  try {
    return await database.transaction((queries) => write(queries, packed))
  } catch (error) {
    if (!(error instanceof Error) || stateOf(error.cause) !== CHECK_VIOLATION) throw error
    const { rows } = await database.query(neededDays, [packed, await readLastId(database)])
    await addDays(
      database,
      rows.map(({ day }) => Number(day)),
    )
    return database.transaction((queries) => write(queries, packed))
  }
}

async function write(queries: PostgresQueries, packed: Buffer): Promise<number> {
  const { rows } = await queries.query('select last_id from request_log_state for update')
  await queries.query(addShapes, [packed])
  const added = await queries.query(addRows, [packed, numberOfColumn(rows, 'last_id')])
  return Number(added.rows[0]?.['appended'] ?? 0)
}

async function readLastId(queries: PostgresQueries): Promise<number> {
  const { rows } = await queries.query('select last_id from request_log_state')
  return numberOfColumn(rows, 'last_id')
}

function qualify(table: string, columns: string): string {
  return columns
    .split(', ')
    .map((column) => `${table}.${column}`)
    .join(', ')
}
