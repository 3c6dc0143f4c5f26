import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeRequestLog } from '../../../test/contract/request-log-store.ts'
import { joinRows } from '../../../test/support/join-rows.ts'
import { createRequestRow } from '../../../test/support/request-row.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { packRow } from '../../request-log/pack-row.ts'
import { applyMigrations } from '../sqlite/apply-migrations.ts'
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

describeRequestLog('SQLite', { open: openLog, runs: 30, startMs: START_MS })

test('pruning leaves the newest rows, and ids continue to rise after all rows are deleted', async () => {
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

test('rows from a version without users are still found, and have no user', async () => {
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

test('the requests that failed on a channel are read by channel, in the order of their ids', async () => {
  const { database, runner } = openFile()
  await applyMigrations(runner, requestLogMigrations)
  const steps = database
    .prepare(
      `explain query plan select failed_attempts.id from failed_attempts cross join shapes
       where failed_attempts.channel = 'a' and failed_attempts.id > 1 and shapes.id = shape_id order by failed_attempts.id desc`,
    )
    .all()
    .map(({ detail }) => String(detail))
  expect(steps).toHaveLength(2)
  expect(steps[0]).toContain('SEARCH failed_attempts USING PRIMARY KEY (channel=? AND id>?)')
})

test('pruning leaves no failed attempt of a deleted request', async () => {
  const { database, runner } = openFile()
  await applyMigrations(runner, requestLogMigrations)
  const log = createSqlRequestLog(database)
  const [answered] = createRequestRow().attempts
  if (answered === undefined) throw new Error('a row has an attempt')
  const attempts = [{ ...answered, channel: 'first' }, answered]
  for (const endedAtMs of [1_000, 2_000, 3_000])
    await log.append(joinRows([packRow(createRequestRow({ endedAtMs, attempts }))]))
  expect((await log.page({ channel: 'first', limit: 10 })).rows.map(({ id }) => id)).toEqual([3, 2, 1])
  await log.prune({ endedBeforeMs: 2_500, maxRows: 10 })
  expect(database.prepare('select channel, id from failed_attempts').all()).toEqual([
    { channel: 'first', id: 3 },
  ])
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
])('a filter by %s reads only the matching shapes', async (column) => {
  const { database, runner } = openFile()
  await applyMigrations(runner, requestLogMigrations)
  const [step] = database.prepare(`explain query plan select id from shapes where ${column} = '1'`).all()
  expect(step?.['detail']).toContain(`INDEX shapes_by_${column}`)
})
