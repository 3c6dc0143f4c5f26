import type { DatabaseSync } from 'node:sqlite'
import { USAGE_SLOT_MS } from '../../metering/usage-query.ts'
import { toolOfColumn } from '../ledger/cells/open-cells.ts'
import { measures, SLOTS_AN_HOUR } from '../ledger/ledger-tables.ts'
import { SubjectIndex } from '../ledger/rows/subject-index.ts'
import { readSubject } from '../ledger/rows/subject-row.ts'
import { addUsageCells, type UsageCell, UsageSubjects } from '../postgres/ledger/sum-usage.ts'
import type { PostgresDatabase, PostgresQueries } from '../postgres/open-postgres.ts'
import { numberOf } from '../sqlite/column-values.ts'
import { DamagedStoreError } from '../sqlite/damaged-store-error.ts'
import { type SourceCell, SourceUsage } from './source-usage.ts'

/** The shard of copied sums. The sums that nodes write are in shards with the numbers of their epochs, from 1. */
const COPIED_SHARD = 0
const CELLS_A_TIME = 2_000

/** Copies the usage sums of each hour that differs from the data folder or is not copied yet. */
export async function copyUsage(source: DatabaseSync, database: PostgresDatabase): Promise<void> {
  const usage = new SourceUsage(source)
  const subjects = new SubjectMap(source)
  const { rows } = await database.query('select hour, digest from folder_copy_hours')
  const copied = new Map(rows.map(({ hour, digest }) => [Number(hour), String(digest)]))
  for (const hour of usage.hours()) {
    const digest = usage.digest(hour)
    if (copied.get(hour) === digest) continue
    const cells = await subjects.convert(database, [...usage.cells(hour)])
    await database.transaction((queries) => writeHour(queries, { hour, digest, cells }))
  }
}

interface CopiedHour {
  readonly hour: number
  readonly digest: string
  readonly cells: readonly UsageCell[]
}

async function writeHour(queries: PostgresQueries, { hour, digest, cells }: CopiedHour): Promise<void> {
  const slots = [hour * SLOTS_AN_HOUR, (hour + 1) * SLOTS_AN_HOUR]
  for (const table of ['usage_sums', 'usage_tools'])
    await queries.query(`delete from ${table} where slot >= $1 and slot < $2`, slots)
  for (let from = 0; from < cells.length; from += CELLS_A_TIME)
    await addUsageCells(queries, cells.slice(from, from + CELLS_A_TIME), COPIED_SHARD)
  await queries.query(
    `insert into folder_copy_hours (hour, digest) values ($1, $2)
     on conflict (hour) do update set digest = excluded.digest`,
    [hour, digest],
  )
}

/**
 * Maps subjects of the data folder to subjects in PostgreSQL. Several subjects of the folder that differ only in
 * price may be one subject in PostgreSQL.
 */
class SubjectMap {
  readonly #subjects: SubjectIndex
  readonly #made = new UsageSubjects()

  constructor(source: DatabaseSync) {
    this.#subjects = new SubjectIndex(source)
    this.#subjects.refresh()
  }

  async convert(queries: PostgresQueries, cells: readonly SourceCell[]): Promise<readonly UsageCell[]> {
    const converted = new Map<string, UsageCell>()
    for (let from = 0; from < cells.length; from += CELLS_A_TIME) {
      const some = cells.slice(from, from + CELLS_A_TIME)
      const ids = await this.#made.idsOf(
        queries,
        some.map((cell) => this.#read(cell)),
      )
      for (const [index, cell] of some.entries()) addCell(converted, ids[index] ?? 0, cell)
    }
    return [...converted.values()]
  }

  #read({ subject, tags }: SourceCell) {
    const names = this.#subjects.get(subject)
    if (names === undefined)
      throw new DamagedStoreError(`the ledger has usage of the unknown subject ${subject}`)
    return readSubject(names, this.#subjects.tagsOf(tags))
  }
}

function addCell(converted: Map<string, UsageCell>, subject: number, { slot, sums }: SourceCell): void {
  const name = `${slot} ${subject}`
  const cell = converted.get(name) ?? { slot, subject, values: measures.map(() => 0), tools: new Map() }
  converted.set(name, cell)
  for (const [index, measure] of measures.entries())
    cell.values[index] = (cell.values[index] ?? 0) + (sums.get(measure) ?? 0)
  for (const [column, value] of sums) {
    const tool = toolOfColumn(column)
    if (tool !== undefined && value !== 0) cell.tools.set(tool, (cell.tools.get(tool) ?? 0) + value)
  }
}

/**
 * Records which part of the sums has no rows any more, for the hours from which retention deleted rows. The data
 * folder stores that by the hour, PostgreSQL by the slot. For a slot it is the slot's sums minus the sums of its
 * rows.
 */
export async function copyPrunedUsage(source: DatabaseSync, queries: PostgresQueries): Promise<void> {
  const hours = source.prepare('select hour, pruned_rows from hours where pruned_rows > 0').all()
  await queries.query('delete from usage_pruned')
  await queries.query(
    `insert into usage_pruned (slot, rows, attempts, cost, charged)
     select s.slot, case when s.slot = min(s.slot) over (partition by h.hour) then h.rows else 0 end,
       s.attempts - coalesce(r.attempts, 0), s.cost - coalesce(r.cost, 0), s.charged - coalesce(r.charged, 0)
     from unnest($1::integer[], $2::bigint[]) as h(hour, rows)
     join (
       select slot, sum(attempts) as attempts, sum(cost) as cost, sum(charged) as charged from usage_sums group by slot
     ) as s on s.slot / ${SLOTS_AN_HOUR} = h.hour
     left join lateral (
       select sum(case when corrects is null then 1 else 0 end) as attempts, sum(cost) as cost, sum(charged) as charged
       from ledger_rows
       where ended_at_ms >= s.slot::bigint * ${USAGE_SLOT_MS} and ended_at_ms < (s.slot + 1)::bigint * ${USAGE_SLOT_MS}
     ) as r on true`,
    [hours.map(({ hour }) => numberOf(hour)), hours.map(({ pruned_rows: rows }) => numberOf(rows))],
  )
}
