import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { describeTraffic } from '../../../test/contract/request-traffic.ts'
import { joinRows } from '../../../test/support/join-rows.ts'
import { createRequestRow } from '../../../test/support/request-row.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { DAY_MS, HOUR_MS } from '../../kit/time/time-units.ts'
import { packRow } from '../../request-log/pack-row.ts'
import { applyMigrations } from '../sqlite/apply-migrations.ts'
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

describeTraffic('SQLite', {
  open: async () => createSqlRequestLog((await openLog()).database),
  runs: 25,
  startMs: START_MS,
})

test('an upgrade counts the existing rows of a log without counts', async () => {
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

test('counts are deleted with their rows, and no row is deleted before it is counted', async () => {
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
