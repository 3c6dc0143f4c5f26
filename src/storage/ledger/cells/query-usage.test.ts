import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  fitsOwners,
  ledgerRows,
  renumberRows,
  subjectFilter,
} from '../../../../test/support/ledger-arbitraries.ts'
import { openLedgerFile } from '../../../../test/support/ledger-file.ts'
import { batchOf, createLedgerRow, LEDGER_START_MS, nano } from '../../../../test/support/ledger-row.ts'
import type { LedgerRow } from '../../../metering/ledger-row.ts'
import type { UsageDimension, UsageGroup, UsageQuery } from '../../../metering/usage-query.ts'
import { usageClasses } from '../ledger-tables.ts'
import { SubjectIndex } from '../rows/subject-index.ts'
import { CellReader } from './cell-reader.ts'
import { queryUsage } from './query-usage.ts'

const HOUR_MS = 3_600_000
const QUARTER_MS = 900_000

const zone = fc.constantFrom('UTC', 'Europe/Berlin', 'Asia/Kathmandu', 'America/St_Johns', 'Pacific/Apia')
const dimension = fc.constantFrom<UsageDimension>(
  'key',
  'user',
  'group',
  'model',
  'channel',
  'day',
  'hour',
  'month',
  'tag:team',
  'tag:area',
)
const query = fc.record({
  by: fc.uniqueArray(dimension, { maxLength: 3 }),
  since: fc.integer({ min: -45 * 4, max: 70 * 4 }),
  quarters: fc.integer({ min: 0, max: 110 * 4 }),
  timeZone: zone,
  filter: subjectFilter,
  order: fc.constantFrom('name' as const, 'cost' as const),
  limit: fc.integer({ min: 1, max: 5 }),
})

type QueryParts = typeof query extends fc.Arbitrary<infer Value> ? Value : never

function queryOf({ since, quarters, ...parts }: QueryParts): UsageQuery {
  const sinceMs = LEDGER_START_MS + since * QUARTER_MS
  return { ...parts, sinceMs, untilMs: sinceMs + quarters * QUARTER_MS }
}

/** The time that a clock of the zone shows. */
function localTime(atMs: number, timeZone: string, unit: 'hour' | 'day' | 'month'): string {
  const shown = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' }).format(
    atMs,
  )
  return shown.slice(0, { hour: 13, day: 10, month: 7 }[unit])
}

function nameOf(row: LedgerRow, by: UsageDimension, timeZone: string): string | null {
  switch (by) {
    case 'key':
      return row.keyId
    case 'user':
      return row.userName ?? null
    case 'group':
      return row.group ?? null
    case 'model':
      return row.model
    case 'upstream_model':
      return row.upstreamModel
    case 'channel':
      return row.channel
    case 'hour':
    case 'day':
    case 'month':
      return localTime(row.endedAtMs, timeZone, by)
    default:
      return row.tags[by.slice('tag:'.length)] ?? null
  }
}

function isAskedFor(row: LedgerRow, { filter, sinceMs, untilMs }: UsageQuery): boolean {
  const { key, user, group, model, channel, tags = {} } = filter
  return (
    row.endedAtMs >= sinceMs &&
    row.endedAtMs < untilMs &&
    (key === undefined || row.keyId === key || row.keyName === key) &&
    (user === undefined || row.userName === user) &&
    (group === undefined || row.group === group) &&
    (model === undefined || row.model === model) &&
    (channel === undefined || row.channel === channel) &&
    fitsOwners(row, filter) &&
    Object.entries(tags).every(([name, value]) => row.tags[name] === value)
  )
}

/** The sums of rows in one line, made from the rows alone. */
function sumRows(rows: readonly LedgerRow[]): string {
  const attempts = rows.filter(({ flags }) => flags.corrects === undefined)
  const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0)
  const big = (values: readonly number[]) => values.reduce((total, value) => total + BigInt(value), 0n)
  const tools = ['web_search', 'x'].map((tool) => sum(rows.map(({ usage }) => usage.toolCalls[tool] ?? 0)))
  return [
    attempts.length,
    attempts.filter(({ attempt }) => attempt === 1).length,
    attempts.filter(({ state, flags }) => state === 'void' || flags.failed === true).length,
    attempts.filter(({ state }) => state === 'estimated').length -
      rows.filter(({ state, flags }) => flags.corrects !== undefined && state === 'settled').length,
    big(rows.map(({ cost }) => cost)),
    big(rows.map(({ charged }) => charged)),
    ...usageClasses.map((name) => sum(rows.map(({ usage }) => usage[name]))),
    ...tools,
  ].join(' ')
}

function sumGroup(group: Omit<UsageGroup, 'names'>): string {
  const { attempts, requests, failed, estimated, cost, charged, usage } = group
  const tools = ['web_search', 'x'].map((tool) => usage.toolCalls[tool] ?? 0)
  const classes = usageClasses.map((name) => usage[name])
  return [attempts, requests, failed, estimated, cost, charged, ...classes, ...tools].join(' ')
}

test('usage is the sum of the rows in every group, page by page, whichever hours are sealed', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(ledgerRows, fc.option(fc.integer({ min: -40, max: 70 }))), {
        minLength: 1,
        maxLength: 3,
      }),
      fc.array(query, { minLength: 1, maxLength: 4 }),
      async (batches, queries) => {
        const file = await openLedgerFile()
        const rows: LedgerRow[] = []
        for (const [batch, sealAt] of batches) {
          const renamed = renumberRows(batch, rows.length + 1)
          file.commit(batchOf({ rows: renamed }))
          rows.push(...renamed)
          if (sealAt !== null) file.sealAll(LEDGER_START_MS + sealAt * HOUR_MS)
        }
        const source = { cells: new CellReader(file.database), subjects: new SubjectIndex(file.database) }
        for (const parts of queries) {
          const asked = queryOf(parts)
          const groups: UsageGroup[] = []
          let page = queryUsage(asked, { ...source, checkTime: () => undefined })
          const { totals } = page
          groups.push(...page.groups)
          while (page.hasMore) {
            const last = page.groups.at(-1)
            if (last === undefined) throw new Error('a page with more behind it is empty')
            page = queryUsage({ ...asked, after: last }, { ...source, checkTime: () => undefined })
            groups.push(...page.groups)
          }
          const wanted = rows.filter((row) => isAskedFor(row, asked))
          expect(sumGroup(totals)).toBe(sumRows(wanted))
          const named = groups.map(({ names, ...sums }) => {
            const shown = names.map((name, index) => {
              const by = asked.by[index]
              const isTime = by === 'hour' || by === 'day' || by === 'month'
              return isTime && name !== null ? localTime(Date.parse(name), asked.timeZone, by) : name
            })
            return `${JSON.stringify(shown)} ${sumGroup(sums)}`
          })
          const expected = Map.groupBy(wanted, (row) =>
            JSON.stringify(asked.by.map((by) => nameOf(row, by, asked.timeZone))),
          )
          expect(named.toSorted()).toEqual(
            [...expected].map(([names, members]) => `${names} ${sumRows(members)}`).toSorted(),
          )
          if (asked.order === 'cost') {
            const costs = groups.map(({ cost }) => cost)
            expect(costs).toEqual(costs.toSorted((left, right) => (left > right ? -1 : left < right ? 1 : 0)))
          }
        }
      },
    ),
    { numRuns: 60 },
  )
}, 120_000)

test('sums of money can exceed the range of a number, exact to the nano-dollar', async () => {
  const file = await openLedgerFile()
  const max = Number.MAX_SAFE_INTEGER
  const rows = Array.from({ length: 40 }, (_, index) =>
    createLedgerRow(index + 1, { keyName: `k${index}`, cost: nano(max), charged: nano(max - index) }),
  )
  file.commit(batchOf({ rows }))
  const source = { cells: new CellReader(file.database), subjects: new SubjectIndex(file.database) }
  const asked: UsageQuery = {
    by: ['model'],
    sinceMs: LEDGER_START_MS,
    untilMs: LEDGER_START_MS + HOUR_MS,
    timeZone: 'UTC',
    filter: {},
    order: 'name',
    limit: 10,
  }
  const { groups } = queryUsage(asked, { ...source, checkTime: () => undefined })
  expect(groups.map(({ cost, charged }) => [cost, charged])).toEqual([
    [40n * BigInt(max), 40n * BigInt(max) - 780n],
  ])
})
