import { z } from 'zod'
import { noUsage } from '../../../canonical/usage.ts'
import type {
  SubjectDimension,
  UsageGroup,
  UsagePage,
  UsageQuery,
  UsageSums,
} from '../../../metering/usage-query.ts'
import { timeDimensions, USAGE_SLOT_MS } from '../../../metering/usage-query.ts'
import { isTimeDimension, listBuckets, type UsageBucket } from '../../ledger/cells/usage-buckets.ts'
import { type UsageClass, usageClasses, usageColumns } from '../../ledger/ledger-tables.ts'
import type { PostgresQueries } from '../open-postgres.ts'
import { storedText } from './stored-text.ts'
import { addSubjectConditions, Conditions } from './subject-condition.ts'

const TAG = 'tag:'
const columnOf: Readonly<Record<SubjectDimension, string>> = {
  key: 'key_id',
  user: 'user_id',
  group: 'group_name',
  model: 'model',
  upstream_model: 'upstream_model',
  channel: 'channel',
}

const summed = [
  'attempts',
  'requests',
  'failed',
  'estimated',
  'cost',
  'charged',
  ...Object.values(usageColumns),
]
const sumColumns = summed.map((name) => `sum(${name})::text as ${name}`).join(', ')

/** Adds up usage inside the database. */
export async function addUpUsage(queries: PostgresQueries, query: UsageQuery): Promise<UsagePage> {
  const [first, end] = [query.sinceMs, query.untilMs].map((atMs) => Math.round(atMs / USAGE_SLOT_MS))
  const { rows: spans } = await queries.query('select min(slot) as first, max(slot) as last from usage_sums')
  const { first: oldest, last: newest } = spanSchema.parse(spans[0])
  if (oldest === null || newest === null) return emptyPage
  const within = { first: Math.max(first ?? 0, oldest), end: Math.min(end ?? 0, newest + 1) }
  if (within.first >= within.end) return emptyPage
  const times = { sinceMs: within.first * USAGE_SLOT_MS, untilMs: within.end * USAGE_SLOT_MS }
  const buckets = [...listBuckets({ ...query, ...times })]
  const report = new UsageReport(query, buckets)
  const groups = await report.groups(queries)
  const totals = await report.totals(queries)
  const shown = groups.slice(0, query.limit)
  return {
    groups: shown,
    totals,
    hasMore: groups.length > query.limit,
    keyNames: await findKeyNames(queries, query, shown),
  }
}

const spanSchema = z.object({ first: z.number().nullable(), last: z.number().nullable() })

class UsageReport {
  readonly #query: UsageQuery
  readonly #buckets: readonly UsageBucket[]

  constructor(query: UsageQuery, buckets: readonly UsageBucket[]) {
    this.#query = query
    this.#buckets = buckets
  }

  /** Reads one group more than the page, to know whether another page follows. */
  async groups(queries: PostgresQueries): Promise<readonly UsageGroup[]> {
    const { by, order, limit } = this.#query
    const conditions = this.#conditions()
    const names = by.map((dimension, index) => `${this.#name(conditions, dimension)} as n${index}`)
    const columns = by.map((_, index) => `n${index}`)
    const grouped = `select ${[...names, sumColumns, 'array_agg(distinct subject) as subjects'].join(', ')}
      ${this.#from(conditions)} ${by.length === 0 ? '' : `group by ${by.map((_, index) => index + 1).join(', ')}`}`
    const keys = columns.map((name) => `coalesce(${name}, '')`)
    const after = this.#after(conditions, keys)
    const byCost = order === 'cost' ? ['cost::numeric desc'] : []
    const sorting = [...byCost, ...keys]
    const { rows } = await queries.query(
      `with grouped as (${grouped}) select * from grouped where attempts is not null and ${after}
       ${sorting.length === 0 ? '' : `order by ${sorting.join(', ')}`} limit ${limit + 1}`,
      conditions.parameters,
    )
    const tools = await this.#tools(queries, by.length === 0 ? undefined : columns.length)
    return rows.map((row) => {
      const shown = columns.map((name) => (row[name] === null ? null : String(row[name])))
      return { names: shown, ...readSums(row, tools.get(JSON.stringify(shown)) ?? {}) }
    })
  }

  async totals(queries: PostgresQueries): Promise<UsageSums> {
    const conditions = this.#conditions()
    const { rows } = await queries.query(
      `select ${sumColumns} ${this.#from(conditions)}`,
      conditions.parameters,
    )
    const tools = await this.#tools(queries, undefined)
    return readSums(rows[0] ?? {}, tools.get('[]') ?? {})
  }

  /** The tool calls, by the names of groups or for all groups together. */
  async #tools(
    queries: PostgresQueries,
    columns: number | undefined,
  ): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
    const by = columns === undefined ? [] : this.#query.by
    const conditions = this.#conditions()
    const names = by.map((dimension, index) => `${this.#name(conditions, dimension)} as n${index}`)
    const { rows } = await queries.query(
      `select ${[...names, 'tool', 'sum(calls)::text as calls'].join(', ')}
       ${this.#from(conditions, 'usage_tools')}
       group by ${[...names, 'tool'].map((_, index) => index + 1).join(', ')}`,
      conditions.parameters,
    )
    const tools = new Map<string, Record<string, number>>()
    for (const row of rows) {
      const name = JSON.stringify(by.map((_, index) => row[`n${index}`] ?? null))
      const calls = tools.get(name) ?? {}
      if (Number(row['calls']) !== 0) calls[String(row['tool'])] = Number(row['calls'])
      tools.set(name, calls)
    }
    return tools
  }

  #conditions(): Conditions {
    const slots: number[] = []
    const numbers: number[] = []
    for (const [index, { first, end }] of this.#buckets.entries())
      for (let slot = first; slot < end; slot += 1) {
        slots.push(slot)
        numbers.push(index)
      }
    const names = timeDimensions.map((unit) => this.#buckets.map((bucket) => bucket.names[unit]))
    const conditions = new Conditions([slots, numbers, ...names])
    addSubjectConditions(conditions, this.#query.filter)
    return conditions
  }

  #from(conditions: Conditions, table = 'usage_sums'): string {
    return `from ${table} join usage_subjects on usage_subjects.id = subject
      join unnest($1::integer[], $2::integer[]) as slots(slot_number, bucket) on slots.slot_number = ${table}.slot
      join unnest($3::text[], $4::text[], $5::text[]) with ordinality as buckets(${timeDimensions.join(', ')}, position)
        on buckets.position = slots.bucket + 1
      where ${conditions.sql}`
  }

  #name(conditions: Conditions, dimension: UsageQuery['by'][number]): string {
    if (isTimeDimension(dimension)) return `buckets.${dimension}`
    if (isTag(dimension))
      return `(tags ->> ${conditions.parameter(storedText(dimension.slice(TAG.length)))}::text) collate "C"`
    return columnOf[dimension]
  }

  #after(conditions: Conditions, keys: readonly string[]): string {
    const { after, order } = this.#query
    if (after === undefined) return 'true'
    const values = after.names.map((name) => conditions.parameter(name === null ? '' : storedText(name)))
    const isLater = keys.length === 0 ? 'false' : `(${keys.join(', ')}) > (${values.join(', ')})`
    if (order === 'name') return isLater
    const cost = conditions.parameter(String(after.cost))
    return `(cost::numeric < ${cost}::numeric or (cost::numeric = ${cost}::numeric and ${isLater}))`
  }
}

function isTag(dimension: string): dimension is `tag:${string}` {
  return dimension.startsWith(TAG)
}

function readSums(
  row: Readonly<Record<string, unknown>>,
  toolCalls: Readonly<Record<string, number>>,
): UsageSums {
  const number = (name: string) => Number(row[name] ?? 0)
  const { toolCalls: _toolCalls, isEstimated: _estimated, ...none } = noUsage
  const classes: Record<UsageClass, number> = { ...none }
  for (const name of usageClasses) classes[name] = number(usageColumns[name])
  return {
    attempts: number('attempts'),
    requests: number('requests'),
    failed: number('failed'),
    estimated: number('estimated'),
    usage: { ...classes, toolCalls },
    cost: BigInt(String(row['cost'] ?? 0)),
    charged: BigInt(String(row['charged'] ?? 0)),
  }
}

async function findKeyNames(
  queries: PostgresQueries,
  { by }: UsageQuery,
  groups: readonly UsageGroup[],
): Promise<Readonly<Record<string, string>>> {
  const index = by.indexOf('key')
  if (index === -1) return {}
  const ids = [...new Set(groups.flatMap(({ names }) => names[index] ?? []))]
  const { rows } = await queries.query(
    'select distinct on (key_id) key_id, key_name from usage_subjects where key_id = any($1) order by key_id, id desc',
    [ids],
  )
  return Object.fromEntries(rows.map((row) => [String(row['key_id']), String(row['key_name'])]))
}

const emptyPage: UsagePage = {
  groups: [],
  hasMore: false,
  totals: readSums({}, {}),
  keyNames: {},
}
