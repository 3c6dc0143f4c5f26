import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/**
 * Makes a request log larger, until it has so many rows that end now: what it holds is written again and again behind
 * itself, which is many times faster than drawing each row. Ids of requests are new ones.
 */
export function repeatRequests(dataFolder: string, size: number, endMs: number): void {
  const database = new DatabaseSync(join(dataFolder, 'requests.db'))
  database.exec('pragma journal_mode = off; pragma synchronous = off; pragma cache_size = -400000')
  const { rows, first, last } = readExtent(database)
  const spanMs = last - first
  const copies = Math.ceil(size / rows)
  const firstMs = endMs - copies * spanMs
  database.exec('drop index requests_by_shape; drop index requests_by_request_id')
  database.exec(`update requests set ended_at_ms = ended_at_ms + ${firstMs - first}`)
  for (let copy = 1; copy < copies; copy += 1) {
    const limit = Math.min(rows, size - copy * rows)
    database.exec(`insert into requests
      select id + ${copy * rows}, shape_id, ended_at_ms + ${copy * spanMs}, total_ms, first_content_ms, input_tokens,
        output_tokens, randomblob(16), detail, cache_read_tokens, cache_write_tokens, reasoning_tokens, cost, charged
      from requests where id <= ${limit}`)
  }
  database.exec(`update reach set last_id = (${copies} - 1) * ${rows} + last_id`)
  database.exec(`update reach set last_id = ${size} where last_id > ${size}`)
  database.exec('create index requests_by_shape on requests (shape_id, id, total_ms)')
  database.exec('create index requests_by_request_id on requests (request_id)')
  database.exec('pragma journal_mode = wal')
  database.close()
}

function readExtent(database: DatabaseSync) {
  const row = database
    .prepare(
      'select max(id) as "rows", min(ended_at_ms) as "first", max(ended_at_ms) as "last" from requests',
    )
    .get()
  const [rows, first, last] = [row?.['rows'], row?.['first'], row?.['last']].map(Number)
  if (rows === undefined || first === undefined || last === undefined || !(rows > 0))
    throw new Error('the log has no row to repeat')
  return { rows, first, last }
}
