import type { DatabaseSync } from 'node:sqlite'
import type { PostgresDatabase } from '../postgres/open-postgres.ts'
import { trafficColumns, trafficUnits } from '../request-log/traffic-tables.ts'
import { numberOf } from '../sqlite/column-values.ts'
import { copyNames } from './copy-names.ts'
import { insertColumns, type TypedColumn } from './insert-columns.ts'

const ROWS_A_TIME = 2_000
const subjectColumns: readonly TypedColumn[] = [
  { name: 'facet', type: 'integer' },
  ...['key_id', 'user_name', 'group_name', 'model', 'channel'].map((name) => ({ name, type: 'text' })),
]
const columns: readonly TypedColumn[] = [
  { name: 'subject_id', type: 'bigint' },
  { name: 'unit', type: 'integer' },
  ...['slot', ...trafficColumns].map((name) => ({ name, type: 'bigint' })),
]

/**
 * Copies the traffic sums from the last copied hour and day on. Earlier sums do not change: rows are counted in order
 * of time.
 */
export async function copyTraffic(source: DatabaseSync, database: PostgresDatabase): Promise<void> {
  const ids = await copyNames(source, database, { table: 'traffic_subjects', columns: subjectColumns })
  for (const unit of Object.values(trafficUnits)) {
    const { rows: spans } = await database.query(
      'select coalesce(max(slot), 0) as last from traffic where unit = $1',
      [unit],
    )
    const from = Number(spans[0]?.['last'])
    const oldest = source.prepare('select min(slot) as slot from traffic where unit = ?').get(unit)?.['slot']
    await database.query('delete from traffic where unit = $1 and (slot >= $2 or slot < $3)', [
      unit,
      from,
      typeof oldest === 'number' ? oldest : 0,
    ])
    const found = source.prepare('select * from traffic where unit = ? and slot >= ? order by slot')
    let rows: (readonly unknown[])[] = []
    for (const row of found.iterate(unit, from)) {
      const id = ids.get(numberOf(row['subject_id']))
      rows.push([id, unit, ...columns.slice(2).map(({ name }) => row[name])])
      if (rows.length < ROWS_A_TIME) continue
      await insertColumns(database, { table: 'traffic', columns, rows })
      rows = []
    }
    await insertColumns(database, { table: 'traffic', columns, rows })
  }
}

/** Copies the position up to which requests are counted, once all of them are copied. */
export async function copyTrafficState(source: DatabaseSync, database: PostgresDatabase): Promise<void> {
  const state = source.prepare('select counted_id, pruned_slot from traffic_state').get()
  const uncounted = numberOf(
    source
      .prepare('select count(*) as rows from requests where id > ?')
      .get(numberOf(state?.['counted_id']))?.['rows'],
  )
  await database.query(
    `update traffic_state set pruned_slot = $2,
       counted_id = coalesce((select id from requests order by id desc offset $1 limit 1), 0),
       counted = (select appended from request_log_state) - $1`,
    [uncounted, numberOf(state?.['pruned_slot'])],
  )
}
