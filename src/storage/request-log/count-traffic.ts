import type { DatabaseSync, StatementSync } from 'node:sqlite'
import { DAY_MS, HOUR_MS } from '../../kit/time/time-units.ts'
import { latencyClassOf } from '../../request-log/latency-histogram.ts'
import { trafficFacets } from '../../request-log/traffic.ts'
import { columnText, numberOf, orNull } from '../sqlite/column-values.ts'
import { inTransaction } from '../sqlite/in-transaction.ts'
import { FIRST_CONTENT_COLUMN, TOTAL_COLUMN, trafficColumns, trafficUnits } from './traffic-tables.ts'

/**
 * Adds up requests by hour and by day. Each request is counted once: the ID of the last counted one is stored with
 * the sums.
 */
export interface TrafficCounter {
  /** Counts some of the rows that are not counted yet. False if no such row is left. */
  count(): boolean
  /** Counts in the same way, once enough rows wait. */
  countIfMany(newestId: number): void
  /** The ID of the last row that is counted. */
  countedId(): number
  /** Deletes the sums of hours and days that ended before the given time. */
  prune(endedBeforeMs: number): void
  /** Forgets the cached shapes, since some of them were deleted. */
  forgetShapes(): void
}

/** The maximum number of rows in one transaction. */
const ROWS_A_TIME = 4_096
/** The maximum number of shapes that are cached. Other shapes are looked up. */
const MAX_SHAPES = 50_000
/** More than the number of hours since 1970, so that a subject and a slot can be combined into one number. */
const SLOTS = 10_000_000

type CountsBySlot = Map<number, number[]>

/** A request to be counted: the subjects of its shape, its time, and its outcome. */
interface CountedRow {
  readonly subjects: readonly number[]
  readonly endedAtMs: number
  readonly columns: readonly number[]
}

export function createTrafficCounter(database: DatabaseSync): TrafficCounter {
  const statements = prepareStatements(database)
  const subjectsOfShapes = new Map<number, readonly number[]>()
  let counted: number | undefined

  const countedId = () => {
    counted ??= numberOf(statements.readState.get()?.['counted_id'])
    return counted
  }

  function count(): boolean {
    const rows = statements.readRows.all(countedId(), ROWS_A_TIME)
    if (rows.length === 0) return false
    try {
      inTransaction(database, () => {
        const hours: CountsBySlot = new Map()
        const days: CountsBySlot = new Map()
        for (const row of rows) addRow(readRow(row, statements, subjectsOfShapes), { hours, days })
        writeCounts(hours, trafficUnits.hour, statements)
        writeCounts(days, trafficUnits.day, statements)
        statements.writeCounted.run(numberOf(rows.at(-1)?.['id']))
      })
    } finally {
      // The cached position is dropped, since the transaction may have been rolled back. It is read again when
      // needed.
      counted = undefined
    }
    return rows.length === ROWS_A_TIME
  }

  return {
    count,
    countedId,
    countIfMany(newestId) {
      if (newestId - countedId() >= ROWS_A_TIME) count()
    },
    prune(endedBeforeMs) {
      if (pruneTraffic(database, statements, endedBeforeMs)) subjectsOfShapes.clear()
    },
    forgetShapes: () => subjectsOfShapes.clear(),
  }
}

type Columns = Readonly<Record<string, unknown>>

function readRow(row: Columns, statements: Statements, known: Map<number, readonly number[]>): CountedRow {
  const shapeId = numberOf(row['shape_id'])
  let subjects = known.get(shapeId)
  if (subjects === undefined) {
    if (known.size >= MAX_SHAPES) known.clear()
    subjects = findSubjects(shapeId, statements)
    known.set(shapeId, subjects)
  }
  return { subjects, endedAtMs: numberOf(row['ended_at_ms']), columns: columnsOf(row) }
}

/** The indexes of the columns in which a request is counted. */
function columnsOf(row: Columns): readonly number[] {
  const status = numberOf(row['status'])
  const firstMs = orNull(numberOf, row['first_content_ms'])
  if (status >= 400 && status < 500) return status === 429 ? [0, 1, 2] : [0, 1]
  if (status >= 500 || row['error'] !== '') return [0, 3]
  const total = TOTAL_COLUMN + latencyClassOf(numberOf(row['total_ms']))
  return firstMs === null ? [0, total] : [0, FIRST_CONTENT_COLUMN + latencyClassOf(firstMs), total]
}

/** The subject of a shape in each facet. */
function findSubjects(shapeId: number, { readShape, addSubject }: Statements): readonly number[] {
  const shape = readShape.get(shapeId)
  const names = {
    key: columnText(shape?.['key_id']),
    user: columnText(shape?.['user_name']),
    group: columnText(shape?.['group_name']),
    model: columnText(shape?.['model']),
    channel: columnText(shape?.['channel']),
  }
  return trafficFacets.map((facet, index) => {
    const name = (subject: keyof typeof names) => (facet.includes(subject) ? names[subject] : '')
    const columns = [name('key'), name('user'), name('group'), name('model'), name('channel')]
    return numberOf(addSubject.get(index, ...columns)?.['id'])
  })
}

function addRow(
  { subjects, endedAtMs, columns }: CountedRow,
  { hours, days }: { readonly hours: CountsBySlot; readonly days: CountsBySlot },
): void {
  const hour = Math.floor(endedAtMs / HOUR_MS)
  const day = Math.floor(endedAtMs / DAY_MS)
  for (const subject of subjects) {
    addTo(hours, subject * SLOTS + hour, columns)
    addTo(days, subject * SLOTS + day, columns)
  }
}

function addTo(counted: CountsBySlot, name: number, columns: readonly number[]): void {
  let counts = counted.get(name)
  if (counts === undefined) {
    counts = new Array<number>(trafficColumns.length).fill(0)
    counted.set(name, counts)
  }
  for (const column of columns) counts[column] = (counts[column] ?? 0) + 1
}

function writeCounts(counted: CountsBySlot, unit: number, { addCounts }: Statements): void {
  for (const [name, counts] of counted) addCounts.run(Math.floor(name / SLOTS), unit, name % SLOTS, ...counts)
}

/** Runs once an hour, since it checks every subject. Returns whether it ran. */
function pruneTraffic(database: DatabaseSync, statements: Statements, endedBeforeMs: number): boolean {
  const slot = Math.floor(endedBeforeMs / HOUR_MS)
  if (slot <= numberOf(statements.readState.get()?.['pruned_slot'])) return false
  const day = Math.floor(endedBeforeMs / DAY_MS)
  inTransaction(database, () => {
    const remove = database.prepare(
      'delete from traffic where subject_id in (select id from traffic_subjects) and unit = ? and slot < ?',
    )
    remove.run(trafficUnits.hour, slot)
    remove.run(trafficUnits.day, day)
    database.exec(
      'delete from traffic_subjects where not exists (select 1 from traffic where subject_id = traffic_subjects.id)',
    )
    database.prepare('update traffic_state set pruned_slot = ?').run(slot)
  })
  return true
}

interface Statements {
  readonly readState: StatementSync
  readonly readRows: StatementSync
  readonly readShape: StatementSync
  readonly addSubject: StatementSync
  readonly addCounts: StatementSync
  readonly writeCounted: StatementSync
}

function prepareStatements(database: DatabaseSync): Statements {
  const names = ['facet', 'key_id', 'user_name', 'group_name', 'model', 'channel'].join(', ')
  const columns = trafficColumns.join(', ')
  return {
    readState: database.prepare('select counted_id, pruned_slot from traffic_state'),
    readRows: database.prepare(
      `select requests.id, shape_id, ended_at_ms, total_ms, first_content_ms, status, error
       from requests join shapes on shapes.id = requests.shape_id
       where requests.id > ? order by requests.id limit ?`,
    ),
    readShape: database.prepare(
      'select key_id, user_name, group_name, model, channel from shapes where id = ?',
    ),
    // The update changes nothing; without it the statement would return no row for an existing subject.
    addSubject: database.prepare(
      `insert into traffic_subjects (${names}) values (?, ?, ?, ?, ?, ?)
       on conflict (${names}) do update set facet = facet returning id`,
    ),
    addCounts: database.prepare(
      `insert into traffic (subject_id, unit, slot, ${columns})
       values (?, ?, ?, ${trafficColumns.map(() => '?').join(', ')})
       on conflict (subject_id, unit, slot) do update set
         ${trafficColumns.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`,
    ),
    writeCounted: database.prepare('update traffic_state set counted_id = ?'),
  }
}
