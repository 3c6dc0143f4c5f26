import type { DatabaseSync } from 'node:sqlite'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import { toolOfColumn } from '../ledger/cells/open-cells.ts'
import { measures, SLOTS_AN_HOUR } from '../ledger/ledger-tables.ts'
import { storedText } from '../postgres/ledger/stored-text.ts'
import type { PostgresQueries } from '../postgres/open-postgres.ts'
import { numberOf } from '../sqlite/column-values.ts'
import { type CopyCheck, compareFigures } from './compare-figures.ts'
import { SourceUsage } from './source-usage.ts'

/** Compares the usage sums hour by hour, and the parts of them whose rows were deleted. */
export async function compareUsage(source: DatabaseSync, queries: PostgresQueries): Promise<CopyCheck> {
  const own = new Map<string, string>()
  const copy = new Map<string, string>()
  addSourceSums(source, own)
  await addCopiedSums(queries, copy)
  addSourcePruned(source, own)
  await addCopiedPruned(queries, copy)
  return compareFigures(own, copy)
}

function addSourceSums(source: DatabaseSync, figures: Map<string, string>): void {
  const usage = new SourceUsage(source)
  for (const hour of usage.hours()) {
    const totals = usage.totals(hour)
    for (const name of measures) figures.set(nameOf(hour, name), String(totals.get(name) ?? 0n))
    const tools = new Map<string, bigint>()
    for (const [column, sum] of totals) {
      const tool = toolOfColumn(column)
      if (tool === undefined) continue
      const name = `calls of ${storedText(tool)}`
      tools.set(name, (tools.get(name) ?? 0n) + sum)
    }
    for (const [name, sum] of tools) figures.set(nameOf(hour, name), String(sum))
  }
}

async function addCopiedSums(queries: PostgresQueries, figures: Map<string, string>): Promise<void> {
  const sums = measures.map((name) => `sum(${name})::text as ${name}`).join(', ')
  const { rows } = await queries.query(
    `select slot / ${SLOTS_AN_HOUR} as hour, ${sums} from usage_sums group by 1`,
  )
  for (const row of rows)
    for (const name of measures) figures.set(nameOf(Number(row['hour']), name), String(row[name]))
  const { rows: tools } = await queries.query(
    `select slot / ${SLOTS_AN_HOUR} as hour, tool, sum(calls)::text as calls from usage_tools group by 1, 2`,
  )
  for (const { hour, tool, calls } of tools)
    figures.set(nameOf(Number(hour), `calls of ${String(tool)}`), String(calls))
}

const prunedFigures = ['rows', 'cost', 'charged'] as const

function addSourcePruned(source: DatabaseSync, figures: Map<string, string>): void {
  const found = source
    .prepare(
      `select hour, pruned_rows as rows, pruned_cost as cost, pruned_charged as charged from hours where pruned_rows > 0`,
    )
    .all()
  for (const row of found)
    for (const name of prunedFigures)
      figures.set(nameOf(numberOf(row['hour']), `deleted ${name}`), String(row[name]))
}

async function addCopiedPruned(queries: PostgresQueries, figures: Map<string, string>): Promise<void> {
  const sums = prunedFigures.map((name) => `sum(${name})::text as ${name}`).join(', ')
  const { rows } = await queries.query(
    `select slot / ${SLOTS_AN_HOUR} as hour, ${sums} from usage_pruned group by 1`,
  )
  for (const row of rows)
    for (const name of prunedFigures)
      figures.set(nameOf(Number(row['hour']), `deleted ${name}`), String(row[name]))
}

function nameOf(hour: number, name: string): string {
  return `usage of the hour ${new Date(hour * HOUR_MS).toISOString()}, ${name}`
}
