import { join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { joinRows } from '../../../test/support/join-rows.ts'
import { createRequestRow } from '../../../test/support/request-row.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { DAY_MS, HOUR_MS } from '../../kit/time/time-units.ts'
import { latencyClassOf } from '../../request-log/latency-histogram.ts'
import { packRow } from '../../request-log/pack-row.ts'
import {
  findTrafficFacet,
  type TrafficCounts,
  type TrafficQuery,
  trafficSubjects,
} from '../../request-log/traffic.ts'
import type { RequestRow } from '../../telemetry/observer.ts'
import { applyMigrations } from '../sqlite/migrations.ts'
import { openDatabase, wrapDatabase } from '../sqlite/sqlite-file.ts'
import { createSqlRequestLog } from './request-log-sql.ts'
import { requestLogMigrations } from './request-log-tables.ts'

const START_MS = Date.UTC(2026, 10, 20)
const ALL = { sinceMs: START_MS, untilMs: START_MS + 100 * DAY_MS, timeZone: 'UTC', filter: {}, limit: 50 }

async function openLog(migrations = requestLogMigrations) {
  const database = openDatabase(join(makeTemporaryFolder(), 'requests.db'), {
    durability: 'normal',
    locking: 'exclusive',
  })
  onTestFinished(() => database.close())
  const { run } = wrapDatabase(database)
  const runner = { run: async (...batch: Parameters<typeof run>) => run(...batch) }
  await applyMigrations(runner, migrations)
  return { database, runner }
}

const name = fc.constantFrom('a', 'b')
const variety = fc.record({
  keyId: name,
  user: fc.option(name, { nil: undefined }),
  group: fc.option(name, { nil: undefined }),
  model: name,
  channel: name,
  status: fc.constantFrom(200, 200, 400, 429, 503),
  error: fc.constantFrom(undefined, undefined, 'upstream_error' as const),
  totalMs: fc.constantFrom(3, 499, 5_000, 700_000),
  firstContentMs: fc.constantFrom(undefined, 2, 400),
  hours: fc.integer({ min: 0, max: 80 }),
})

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: undefined, freq: 2 })
const query = fc
  .record({
    by: maybe(fc.constantFrom('hour' as const, 'day' as const, ...trafficSubjects)),
    since: fc.integer({ min: 0, max: 60 }),
    hours: fc.integer({ min: 1, max: 80 }),
    timeZone: fc.constantFrom('UTC', 'Europe/Berlin', 'America/New_York'),
    filter: fc.record({
      key: maybe(name),
      user: maybe(name),
      group: maybe(name),
      model: maybe(name),
      channel: maybe(name),
      ownedBy: maybe(fc.record({ user: name, groups: fc.array(name, { maxLength: 2 }) })),
    }),
  })
  .map(
    ({ since, hours, ...rest }): TrafficQuery => ({
      ...rest,
      limit: 50,
      sinceMs: START_MS + since * HOUR_MS,
      untilMs: START_MS + (since + hours) * HOUR_MS,
    }),
  )
  .filter((each) => findTrafficFacet(each) !== undefined)

function isAsked(row: RequestRow, { filter, sinceMs, untilMs }: TrafficQuery): boolean {
  const { ownedBy, key, user, group, model, channel } = filter
  const isOwned =
    ownedBy === undefined || row.user === ownedBy.user || ownedBy.groups.some((each) => each === row.group)
  const pairs = [
    [key, row.keyId],
    [user, row.user],
    [group, row.group],
    [model, row.model],
    [channel, row.channel],
  ]
  return (
    isOwned &&
    pairs.every(([wanted, value]) => wanted === undefined || wanted === value) &&
    row.endedAtMs >= sinceMs &&
    row.endedAtMs < untilMs
  )
}

function nameOf(row: RequestRow, { by, timeZone }: TrafficQuery): string | null {
  switch (by) {
    case undefined:
      return null
    case 'hour':
      return new Date(Math.floor(row.endedAtMs / HOUR_MS) * HOUR_MS).toISOString()
    case 'day':
      return new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short' }).format(row.endedAtMs)
    case 'key':
      return row.keyId ?? null
    default:
      return row[by] ?? null
  }
}

function countRows(rows: readonly RequestRow[]) {
  const number = (is: (row: RequestRow) => boolean) => rows.filter(is).length
  const answered = rows.filter(({ status, error }) => status < 400 && error === undefined)
  const classes = (read: (row: RequestRow) => number | undefined) =>
    answered
      .flatMap((row) => read(row) ?? [])
      .map(latencyClassOf)
      .toSorted((a, b) => a - b)
  return {
    requests: rows.length,
    refused: number(({ status }) => status >= 400 && status < 500),
    rateLimited: number(({ status }) => status === 429),
    failed: number(({ status, error }) => status >= 500 || (status < 400 && error !== undefined)),
    firstContent: classes(({ firstContentMs }) => firstContentMs),
    total: classes(({ totalMs }) => totalMs),
  }
}

function unfold({ firstContent, total, ...counts }: TrafficCounts) {
  const list = (classes: readonly number[]) =>
    classes.flatMap((count, index) => new Array<number>(count).fill(index))
  const { requests, refused, rateLimited, failed } = counts
  return {
    requests,
    refused,
    rateLimited,
    failed,
    firstContent: list(firstContent),
    total: list(total),
  }
}

test('the counts of a span are those of every row in it, by whatever they are asked', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(variety, { maxLength: 60 }),
      fc.array(query, { minLength: 15, maxLength: 15 }),
      async (varieties, queries) => {
        const { database } = await openLog()
        const log = createSqlRequestLog(database)
        const rows = varieties
          .toSorted((one, other) => one.hours - other.hours)
          .map(({ hours, ...row }, index) =>
            createRequestRow({
              ...row,
              requestId: `req_${index}`,
              endedAtMs: START_MS + hours * HOUR_MS + 7,
            }),
          )
        const half = Math.floor(rows.length / 2)
        await log.append(joinRows(rows.slice(0, half).map(packRow)))
        await log.traffic(ALL)
        await log.append(joinRows(rows.slice(half).map(packRow)))
        for (const asked of queries) {
          const { groups, totals } = await log.traffic(asked)
          const wanted = rows.filter((row) => isAsked(row, asked))
          expect(unfold(totals)).toEqual(countRows(wanted))
          const shown = groups.map(({ name: shownName, ...counts }) => [
            asked.by === 'day' && shownName !== null
              ? nameOf(createRequestRow({ endedAtMs: Date.parse(shownName) }), asked)
              : shownName,
            unfold(counts),
          ])
          const expected = [...Map.groupBy(wanted, (row) => nameOf(row, asked))]
          const byName = new Map(expected.map(([each, members]) => [each, countRows(members)]))
          if (asked.by !== undefined) expect(new Map(shown as never)).toEqual(byName)
        }
      },
    ),
    { numRuns: 25 },
  )
}, 60_000)

test('rows of a log that did not count them are counted when it is opened by this version', async () => {
  const { database, runner } = await openLog(requestLogMigrations.slice(0, -1))
  database.exec(`insert into shapes values (1, 'key_1', 'ci', '', '', 'chat', 'm', 'c', 'u', 200, '', 1, 0)`)
  const add = database.prepare(
    `insert into requests (id, shape_id, ended_at_ms, total_ms, request_id, detail) values (?, 1, ?, 5, x'00', '')`,
  )
  for (let id = 1; id <= 9_000; id += 1) add.run(id, START_MS + id)
  await applyMigrations(runner, requestLogMigrations)
  const { totals, countedUntilMs } = await createSqlRequestLog(database).traffic(ALL)
  expect(totals.requests).toBe(9_000)
  expect(countedUntilMs).toBeUndefined()
})

test('counts go with the rows that they are of, and no row goes before it is counted', async () => {
  const { database } = await openLog()
  const log = createSqlRequestLog(database)
  const rows = [0, 1, 30].map((hours, index) =>
    createRequestRow({ requestId: `req_${index}`, endedAtMs: START_MS + hours * HOUR_MS }),
  )
  await log.append(joinRows(rows.map(packRow)))
  await log.prune({ endedBeforeMs: START_MS, maxRows: 1 })
  expect((await log.page({ limit: 5 })).rows).toHaveLength(1)
  expect((await log.traffic(ALL)).totals.requests).toBe(3)
  await log.prune({ endedBeforeMs: START_MS + 30 * HOUR_MS, maxRows: 10 })
  expect((await log.traffic({ ...ALL, by: 'hour' })).totals.requests).toBe(1)
})
