// Adds up requests on the server, first by combination and hour, then by every facet.
import { DAY_MS, HOUR_MS } from '../../../kit/time/time-units.ts'
import { LATENCY_CLASSES, latencyEdgesMs } from '../../../request-log/latency-histogram.ts'
import { type TrafficSubject, trafficFacets } from '../../../request-log/traffic.ts'
import { trafficColumns, trafficUnits } from '../../request-log/traffic-tables.ts'
import { numberOfColumn } from '../number-of-column.ts'
import type { PostgresDatabase, PostgresQueries } from '../open-postgres.ts'

/** The maximum number of rows in one transaction. */
const ROWS_A_TIME = 4_096

const classOf = (column: string) => `width_bucket(${column}, array[${latencyEdgesMs.join(', ')}]::bigint[])`
const isAnswered = "status < 400 and error = ''"
const counted = [
  ...[
    'true',
    'status between 400 and 499',
    'status = 429',
    `status >= 500 or (status < 400 and error <> '')`,
  ],
  ...Array.from({ length: LATENCY_CLASSES }, (_unused, index) => `${isAnswered} and first_class = ${index}`),
  ...Array.from({ length: LATENCY_CLASSES }, (_unused, index) => `${isAnswered} and total_class = ${index}`),
]

const subjects: readonly (readonly [TrafficSubject, string])[] = [
  ...([
    ['key', 'key_id'],
    ['user', 'user_name'],
    ['group', 'group_name'],
  ] as const),
  ...([
    ['model', 'model'],
    ['channel', 'channel'],
  ] as const),
]
const names = subjects.map(([, column]) => column)
const facets = trafficFacets
  .map((facet, index) => `(${index}, ${subjects.map(([subject]) => facet.includes(subject)).join(', ')})`)
  .join(', ')

/** The sums of the counted rows, by facet and hour. */
const cells = `
  counted as materialized (
    select shape_id, ended_at_ms / ${HOUR_MS} as hour,
      ${counted.map((condition, index) => `count(*) filter (where ${condition}) as ${trafficColumns[index]}`).join(', ')}
    from (
      select shape_id, ended_at_ms, status, error, ${classOf('first_content_ms')} as first_class,
        ${classOf('total_ms')} as total_class
      from requests join shapes on shapes.id = shape_id where requests.id > $1 and requests.id <= $2
    ) as rows
    group by shape_id, hour
  ),
  facets (facet, ${names.map((name) => `has_${name}`).join(', ')}) as (values ${facets}),
  named as (
    select facet, ${names.map((name) => `case when has_${name} then ${name} else '' end as ${name}`).join(', ')},
      hour, ${trafficColumns.join(', ')}
    from counted join shapes on shapes.id = shape_id cross join facets
  )`

const addSubjects = `with ${cells}
  insert into traffic_subjects (facet, ${names.join(', ')})
  select distinct facet, ${names.join(', ')} from named where not exists (
    select 1 from traffic_subjects as known where known.facet = named.facet
      and ${names.map((name) => `known.${name} = named.${name}`).join(' and ')})
  on conflict do nothing`

const addCounts = `with ${cells}
  insert into traffic as t (subject_id, unit, slot, ${trafficColumns.join(', ')})
  select known.id, unit, hour / hours as slot, ${trafficColumns.map((column) => `sum(${column})`).join(', ')}
  from named join traffic_subjects as known on known.facet = named.facet
    and ${names.map((name) => `known.${name} = named.${name}`).join(' and ')}
  cross join (values (${trafficUnits.hour}, 1), (${trafficUnits.day}, ${DAY_MS / HOUR_MS})) as units (unit, hours)
  group by 1, 2, 3
  on conflict (subject_id, unit, slot) do update set
    ${trafficColumns.map((column) => `${column} = t.${column} + excluded.${column}`).join(', ')}`

/**
 * Counts some of the rows that are not counted yet. Each row is counted once across all nodes. False if no such row
 * is left.
 */
export function countTraffic(database: PostgresDatabase): Promise<boolean> {
  return database.transaction(async (queries) => {
    const state = await queries.query('select counted_id from traffic_state for update')
    const from = numberOfColumn(state.rows, 'counted_id')
    const found = await queries.query(
      `select max(id) as last, count(*) as count from (
         select id from requests where id > $1 order by id limit ${ROWS_A_TIME}) as next`,
      [from],
    )
    const count = numberOfColumn(found.rows, 'count')
    if (count === 0) return false
    const last = numberOfColumn(found.rows, 'last')
    await queries.query(addSubjects, [from, last])
    await queries.query(addCounts, [from, last])
    await queries.query('update traffic_state set counted_id = $1, counted = counted + $2', [last, count])
    return count === ROWS_A_TIME
  })
}

/** Whether enough of the appended rows wait to be counted. */
export async function isCountDue(queries: PostgresQueries, appended: number): Promise<boolean> {
  const { rows } = await queries.query('select counted from traffic_state')
  return appended - numberOfColumn(rows, 'counted') >= ROWS_A_TIME
}

/** Deletes the sums of hours and days that ended before the given time. Runs once an hour. */
export async function pruneTraffic(queries: PostgresQueries, endedBeforeMs: number): Promise<void> {
  const slot = Math.floor(endedBeforeMs / HOUR_MS)
  const due = await queries.query('update traffic_state set pruned_slot = $1 where pruned_slot < $1', [slot])
  if (due.count === 0) return
  const remove = 'delete from traffic where unit = $1 and slot < $2'
  await queries.query(remove, [trafficUnits.hour, slot])
  await queries.query(remove, [trafficUnits.day, Math.floor(endedBeforeMs / DAY_MS)])
  await queries.query(
    'delete from traffic_subjects where not exists (select 1 from traffic where subject_id = traffic_subjects.id)',
  )
}
