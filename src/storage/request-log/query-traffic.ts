import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { DAY_MS, HOUR_MS } from '../../kit/time/time-units.ts'
import { spanAt } from '../../metering/budgets/budget-window.ts'
import { LATENCY_CLASSES } from '../../request-log/latency-histogram.ts'
import {
  findTrafficFacet,
  type TrafficCounts,
  type TrafficFilter,
  type TrafficGroup,
  type TrafficQuery,
  type TrafficReport,
  type TrafficSubject,
} from '../../request-log/traffic.ts'
import { columnText, numberOf } from '../sqlite/column-values.ts'
import { FIRST_CONTENT_COLUMN, TOTAL_COLUMN, trafficColumns, trafficUnits } from './traffic-tables.ts'

const columnOf: Readonly<Record<TrafficSubject, string>> = {
  key: 'key_id',
  user: 'user_name',
  group: 'group_name',
  model: 'model',
  channel: 'channel',
}

/** The sums, each named after its column. PostgreSQL returns a decimal for a sum without a cast. */
const SUMS = trafficColumns.map((column) => `cast(sum(${column}) as bigint) as ${column}`).join(', ')

/** Runs statements with `?` for values. Rows are arrays in the order of the columns. */
export interface TrafficReader {
  all(sql: string, values: readonly (string | number)[]): Promise<readonly (readonly unknown[])[]>
}

/** Slots of one unit, the end excluded. */
interface SlotSpan {
  readonly unit: number
  readonly first: number
  readonly end: number
}

/** Reads the sums of a time span. The time it takes depends on the number of queried subjects, not of requests. */
export async function queryTraffic(
  database: TrafficReader,
  query: TrafficQuery,
): Promise<Omit<TrafficReport, 'countedUntilMs'>> {
  const { by } = query
  if (by === 'hour' || by === 'day') {
    const groups = await readByTime(database, query, by)
    return { groups, totals: addUp(groups), keyNames: {} }
  }
  const totals = await readTotals(database, query)
  if (by === undefined) return { groups: [{ name: null, ...totals }], totals, keyNames: {} }
  const groups = await readBySubject(database, query, by)
  return { groups, totals, keyNames: by === 'key' ? await readKeyNames(database, groups) : {} }
}

async function readByTime(
  database: TrafficReader,
  query: TrafficQuery,
  by: 'hour' | 'day',
): Promise<readonly TrafficGroup[]> {
  const { sinceMs, untilMs, timeZone } = query
  const span = { unit: trafficUnits.hour, first: sinceMs / HOUR_MS, end: untilMs / HOUR_MS }
  const rows = await select(database, {
    query: { ...query, by: undefined },
    spans: [span],
    columns: `slot, ${SUMS}`,
    end: 'group by slot order by slot',
  })
  const groups = new Map<string, TrafficCounts>()
  for (const [slot, ...sums] of rows) {
    const atMs = numberOf(slot) * HOUR_MS
    const startMs = by === 'hour' ? atMs : spanAt({ type: 'calendar', unit: 'day', timeZone }, atMs).startMs
    const name = new Date(startMs).toISOString()
    const counts = readCounts(sums)
    const before = groups.get(name)
    groups.set(name, before === undefined ? counts : addUp([before, counts]))
  }
  return [...groups].map(([name, counts]) => ({ name, ...counts }))
}

async function readTotals(database: TrafficReader, query: TrafficQuery): Promise<TrafficCounts> {
  const whole = { ...query, by: undefined }
  const [sums = []] = await select(database, {
    query: whole,
    spans: splitSpan(query),
    columns: SUMS,
    end: '',
  })
  return readCounts(sums)
}

/** Chooses the groups only by their number of requests, and then reads the other sums of the groups shown. */
async function readBySubject(
  database: TrafficReader,
  query: TrafficQuery,
  by: TrafficSubject,
): Promise<readonly TrafficGroup[]> {
  const spans = splitSpan(query)
  const column = columnOf[by]
  const largest = await select(database, {
    query,
    spans,
    columns: `${column}, sum(requests) as total`,
    end: `group by ${column} order by total desc, ${column} limit ?`,
    values: [query.limit],
  })
  const names = largest.map(([name]) => columnText(name))
  if (names.length === 0) return []
  const rows = await select(database, {
    query,
    spans,
    columns: `${column}, ${SUMS}`,
    where: [`${column} in (${names.map(() => '?').join(', ')})`, ...names],
    end: `group by ${column}`,
  })
  const counts = new Map(rows.map(([name, ...sums]) => [columnText(name), readCounts(sums)]))
  return names.flatMap((name) => {
    const found = counts.get(name)
    return found === undefined ? [] : [{ name: name === '' ? null : name, ...found }]
  })
}

/** Splits a span into whole UTC days, and the hours before and after them. */
function splitSpan({ sinceMs, untilMs }: Pick<TrafficQuery, 'sinceMs' | 'untilMs'>): readonly SlotSpan[] {
  const [first, end] = [sinceMs / HOUR_MS, untilMs / HOUR_MS]
  const hours = DAY_MS / HOUR_MS
  const [firstDay, endDay] = [Math.ceil(first / hours), Math.floor(end / hours)]
  if (firstDay >= endDay) return [{ unit: trafficUnits.hour, first, end }]
  return [
    { unit: trafficUnits.hour, first, end: firstDay * hours },
    { unit: trafficUnits.day, first: firstDay, end: endDay },
    { unit: trafficUnits.hour, first: endDay * hours, end },
  ]
}

interface Selection {
  readonly query: TrafficQuery
  readonly spans: readonly SlotSpan[]
  readonly columns: string
  /** An additional condition with its values. */
  readonly where?: readonly [condition: string, ...values: readonly string[]]
  readonly end: string
  readonly values?: readonly number[]
}

function select(
  database: TrafficReader,
  { query, spans, columns, where = ['true'], end, values = [] }: Selection,
): Promise<readonly (readonly unknown[])[]> {
  const facet = findTrafficFacet(query)
  if (facet === undefined) throw new InvariantError('traffic is asked for by what it is not counted by')
  const [condition, ...named] = where
  const filter = writeFilter(query.filter)
  const spanValues = spans.flatMap(({ unit, first, end: beyond }) => [unit, first, beyond])
  const span = `(${new Array(3).fill('cast(? as bigint)').join(', ')})`
  return database.all(
    `with spans (span_unit, span_first, beyond) as (values ${spans.map(() => span).join(', ')})
     select ${columns} from traffic_subjects cross join spans
     join traffic on subject_id = traffic_subjects.id and unit = span_unit
       and slot >= span_first and slot < beyond
     where facet = ? and ${filter.condition} and ${condition} ${end}`,
    [...spanValues, facet, ...filter.values, ...named, ...values],
  )
}

function writeFilter({ ownedBy, ...named }: TrafficFilter): {
  readonly condition: string
  readonly values: readonly string[]
} {
  const conditions = ['true']
  const values: string[] = []
  const add = (condition: string, ...more: readonly string[]) => {
    conditions.push(condition)
    values.push(...more)
  }
  const { key, ...others } = named
  for (const subject of ['user', 'group', 'model', 'channel'] as const) {
    const name = others[subject]
    if (name !== undefined) add(`${columnOf[subject]} = ?`, name)
  }
  if (key !== undefined)
    add('key_id in (select key_id from shapes where shapes.key_id = ? or shapes.key_name = ?)', key, key)
  if (ownedBy !== undefined) {
    const { user, groups } = ownedBy
    const isInGroup = groups.length === 0 ? '' : ` or group_name in (${groups.map(() => '?').join(', ')})`
    add(`(user_name = ?${isInGroup})`, user, ...groups)
  }
  return { condition: conditions.join(' and '), values }
}

/** Sums over no rows are null. */
function readCounts(sums: readonly unknown[]): TrafficCounts {
  const numbers = trafficColumns.map((_column, index) => (sums[index] == null ? 0 : numberOf(sums[index])))
  const [requests = 0, refused = 0, rateLimited = 0, failed = 0] = numbers
  return {
    requests,
    refused,
    rateLimited,
    failed,
    firstContent: numbers.slice(FIRST_CONTENT_COLUMN, FIRST_CONTENT_COLUMN + LATENCY_CLASSES),
    total: numbers.slice(TOTAL_COLUMN, TOTAL_COLUMN + LATENCY_CLASSES),
  }
}

function addUp(all: readonly TrafficCounts[]): TrafficCounts {
  const sum = (read: (counts: TrafficCounts) => number) => all.reduce((total, each) => total + read(each), 0)
  const addClasses = (read: (counts: TrafficCounts) => readonly number[]) =>
    Array.from({ length: LATENCY_CLASSES }, (_unused, index) => sum((counts) => read(counts)[index] ?? 0))
  return {
    requests: sum(({ requests }) => requests),
    refused: sum(({ refused }) => refused),
    rateLimited: sum(({ rateLimited }) => rateLimited),
    failed: sum(({ failed }) => failed),
    firstContent: addClasses(({ firstContent }) => firstContent),
    total: addClasses(({ total }) => total),
  }
}

/** The newest name of each key. */
async function readKeyNames(
  database: TrafficReader,
  groups: readonly TrafficGroup[],
): Promise<Readonly<Record<string, string>>> {
  const ids = groups.flatMap(({ name }) => (name === null ? [] : [name]))
  if (ids.length === 0) return {}
  const rows = await database.all(
    `select key_id, key_name from shapes
     where id in (select max(id) from shapes where key_id in (${ids.map(() => '?').join(', ')}) group by key_id)`,
    ids,
  )
  return Object.fromEntries(rows.map(([id, name]) => [columnText(id), columnText(name)]))
}
