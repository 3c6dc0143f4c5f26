import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { joinRows } from '../../../test/support/join-rows.ts'
import { createRequestRow } from '../../../test/support/request-row.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { packRow } from '../../request-log/pack-row.ts'
import type { RequestQuery } from '../../request-log/request-log-store.ts'
import type { RequestRow } from '../../telemetry/observer.ts'
import { applyMigrations } from '../sqlite/migrations.ts'
import { openDatabase, wrapDatabase } from '../sqlite/sqlite-file.ts'
import { createSqlRequestLog } from './request-log-sql.ts'
import { requestLogMigrations } from './request-log-tables.ts'

const START_MS = Date.UTC(2026, 10, 20)

/** A log on a file; so few rows are looked through at once that both ways to a page are taken. */
async function openLog(windowRows: number) {
  const { database, runner } = openFile()
  await applyMigrations(runner, requestLogMigrations)
  return createSqlRequestLog(database, windowRows)
}

function openFile() {
  const file = join(makeTemporaryFolder(), 'requests.db')
  const database = openDatabase(file, { durability: 'normal', locking: 'exclusive' })
  onTestFinished(() => database.close())
  const { run } = wrapDatabase(database)
  const runner = { run: async (...batch: Parameters<typeof run>) => run(...batch) }
  return { database, runner }
}

const name = fc.constantFrom('a', 'b', 'c')
const variety = fc.record({
  keyName: fc.option(name, { nil: undefined }),
  keyId: name,
  user: fc.option(name, { nil: undefined }),
  group: fc.option(name, { nil: undefined }),
  model: name,
  channel: name,
  upstreamModel: name,
  status: fc.constantFrom(200, 200, 200, 400, 429, 503),
  error: fc.constantFrom(undefined, undefined, 'upstream_error' as const, 'upstream_timeout' as const),
  isStream: fc.boolean(),
  totalMs: fc.constantFrom(10, 499, 500, 700, 999, 1_000, 25_000, 700_000),
})

type Variety = typeof variety extends fc.Arbitrary<infer Value> ? Value : never

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 3 })
const query = fc.record({
  key: maybe(fc.constantFrom('a', 'b', 'nobody')),
  user: maybe(name),
  ownedBy: maybe(
    fc.record({
      user: fc.constantFrom('a', 'nobody'),
      groups: fc.array(fc.constantFrom('b', 'c', 'nobody'), { maxLength: 2 }),
    }),
  ),
  group: maybe(name),
  model: maybe(name),
  channel: maybe(name),
  upstreamModel: maybe(name),
  status: maybe(fc.constantFrom<readonly [number, number]>([200, 200], [400, 499], [500, 599])),
  error: maybe(fc.constantFrom('upstream_error', 'none')),
  isStream: maybe(fc.boolean()),
  minMs: maybe(fc.constantFrom(0, 500, 501, 800, 1_000, 26_000, 800_000)),
  before: maybe(fc.integer({ min: 1, max: 70 })),
  after: maybe(fc.integer({ min: 0, max: 70 })),
  sinceMs: maybe(fc.integer({ min: START_MS - 5, max: START_MS + 200 })),
  untilMs: maybe(fc.integer({ min: START_MS - 5, max: START_MS + 200 })),
  limit: fc.integer({ min: 1, max: 12 }),
})

function rowOf(different: Variety, index: number): RequestRow {
  const requestId = `req_00000000-0000-4000-8000-${String(index).padStart(12, '0')}`
  return createRequestRow({ ...different, requestId, endedAtMs: START_MS + Math.floor(index / 3) * 9 })
}

/** The rows that a page must hold, found by looking at every row. The first row has the ID 1. */
function searchAll(rows: readonly RequestRow[], wanted: RequestQuery) {
  const fits = (row: RequestRow, id: number) =>
    (wanted.key === undefined || row.keyId === wanted.key || row.keyName === wanted.key) &&
    (wanted.user === undefined || row.user === wanted.user) &&
    (wanted.ownedBy === undefined ||
      row.user === wanted.ownedBy.user ||
      wanted.ownedBy.groups.some((group) => group === row.group)) &&
    (wanted.group === undefined || row.group === wanted.group) &&
    (wanted.model === undefined || row.model === wanted.model) &&
    (wanted.channel === undefined || row.channel === wanted.channel) &&
    (wanted.upstreamModel === undefined || row.upstreamModel === wanted.upstreamModel) &&
    (wanted.status === undefined || (row.status >= wanted.status[0] && row.status <= wanted.status[1])) &&
    (wanted.error === undefined || row.error === wanted.error) &&
    (wanted.isStream === undefined || row.isStream === wanted.isStream) &&
    row.totalMs >= (wanted.minMs ?? 0) &&
    id < (wanted.before ?? Number.POSITIVE_INFINITY) &&
    id > (wanted.after ?? 0) &&
    row.endedAtMs >= (wanted.sinceMs ?? 0) &&
    row.endedAtMs <= (wanted.untilMs ?? Number.POSITIVE_INFINITY)
  const found = rows.flatMap((row, index) => (fits(row, index + 1) ? [index + 1] : [])).reverse()
  return { ids: found.slice(0, wanted.limit), hasMore: found.length > wanted.limit }
}

test.each([1, 7, 10_000])(
  'a page is what a search of every row gives, looking through %i rows',
  async (windowRows) => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(variety, { maxLength: 60 }),
        fc.array(query, { minLength: 20, maxLength: 20 }),
        async (varieties, queries) => {
          const log = await openLog(windowRows)
          const rows = varieties.map(rowOf)
          const cut = Math.floor(rows.length / 2)
          for (const batch of [rows.slice(0, cut), rows.slice(cut)])
            await log.append(joinRows(batch.map(packRow)))
          for (const one of queries) {
            const page = await log.page(one)
            expect({ ids: page.rows.map(({ id }) => id), hasMore: page.hasMore }).toEqual(
              searchAll(rows, one),
            )
          }
        },
      ),
      { numRuns: 30 },
    )
  },
)

test('a page after the other gives every row once', async () => {
  const log = await openLog(4)
  const rows = Array.from({ length: 95 }, (_row, index) =>
    createRequestRow({ requestId: `req_${index}`, model: index % 3 === 0 ? 'x' : 'y' }),
  )
  await log.append(joinRows(rows.map(packRow)))
  const seen: number[] = []
  for (let before: number | undefined; ; ) {
    const page = await log.page({ model: 'x', before, limit: 10 })
    seen.push(...page.rows.map(({ id }) => id))
    before = page.rows.at(-1)?.id
    if (!page.hasMore) break
  }
  expect(seen).toEqual(rows.flatMap(({ model }, index) => (model === 'x' ? [index + 1] : [])).reverse())
})

test('pruning leaves the newest, and ids go on rising when all is gone', async () => {
  const log = await openLog(10)
  const rows = (count: number, endedAtMs: number) =>
    Array.from({ length: count }, () => packRow(createRequestRow({ endedAtMs })))
  await log.append(joinRows(rows(1_500, 1_000)))
  await log.append(joinRows(rows(1_000, 2_000)))
  expect(await log.prune({ endedBeforeMs: 2_000, maxRows: 10_000 })).toEqual({ hasMore: true })
  expect(await log.prune({ endedBeforeMs: 2_000, maxRows: 10_000 })).toEqual({ hasMore: false })
  expect((await log.page({ limit: 2_000 })).rows).toHaveLength(1_000)
  expect(await log.prune({ endedBeforeMs: 0, maxRows: 300 })).toEqual({ hasMore: false })
  expect((await log.page({ limit: 2_000 })).rows).toHaveLength(300)
  await log.prune({ endedBeforeMs: 9_000, maxRows: 300 })
  expect((await log.page({ limit: 2_000 })).rows).toEqual([])
  await log.append(joinRows(rows(1, 9_500)))
  expect((await log.page({ limit: 2_000 })).rows.map(({ id }) => id)).toEqual([2_501])
})

test('rows of a version that knew no users are found as before, and have none', async () => {
  const { database, runner } = openFile()
  await applyMigrations(runner, requestLogMigrations.slice(0, 2))
  const shape = "'key_1', 'ci', 'search', 'chat', 'fast', 'primary', 'gpt', 200, '', 0, 0"
  database.exec(`insert into shapes (id, key_id, key_name, group_name, format, model, channel, upstream_model,
    status, error, is_stream, duration_class) values (7, ${shape})`)
  database.exec('insert into reach (shape_id, first_id, last_id) values (7, 1, 1)')
  database.exec(`insert into requests (id, shape_id, ended_at_ms, total_ms, request_id, detail)
    values (1, 7, ${START_MS}, 9, x'0102', '')`)
  await applyMigrations(runner, requestLogMigrations)
  const log = createSqlRequestLog(database)
  await log.append(joinRows([packRow(createRequestRow({ user: 'mia', group: 'search' }))]))
  const found = await log.page({ group: 'search', limit: 10 })
  expect(found.rows.map(({ id, keyName, user }) => [id, keyName, user])).toEqual([
    [2, 'ci', 'mia'],
    [1, 'ci', undefined],
  ])
  expect((await log.page({ user: 'mia', limit: 10 })).rows.map(({ id }) => id)).toEqual([2])
})

test('a clock that was set back does not hide rows from a search by time', async () => {
  const log = await openLog(10)
  for (const endedAtMs of [5_000, 1_000, 6_000])
    await log.append(joinRows([packRow(createRequestRow({ endedAtMs }))]))
  const page = await log.page({ sinceMs: 5_000, limit: 10 })
  expect(page.rows.map(({ endedAtMs }) => endedAtMs)).toEqual([6_000, 5_000, 5_000])
})

test.each([
  'key_id',
  'key_name',
  'user_name',
  'group_name',
  'model',
  'channel',
  'upstream_model',
  'status',
  'error',
])('a filter by %s reads the shapes that fit, and not all of them', async (column) => {
  const { database, runner } = openFile()
  await applyMigrations(runner, requestLogMigrations)
  const [step] = database.prepare(`explain query plan select id from shapes where ${column} = '1'`).all()
  expect(step?.['detail']).toContain(`INDEX shapes_by_${column}`)
})
