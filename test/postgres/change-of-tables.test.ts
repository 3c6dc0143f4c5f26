import { expect, onTestFinished, test } from 'vitest'
import { readDatabase } from '../../src/config/database-schema.ts'
import { connectDatabase } from '../../src/storage/postgres/open-postgres-stores.ts'
import {
  applyPostgresMigrations,
  MIGRATION_LOCK,
  postgresMigrations,
} from '../../src/storage/postgres/postgres-migrations.ts'
import { untilAsync } from '../support/until.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()

test('a node waits longer than the statement timeout for another one that changes the tables', async () => {
  const { database, url } = shared.current
  const changing = await database.reserve()
  onTestFinished(() => changing.release())
  await changing.query('select pg_advisory_lock($1)', [MIGRATION_LOCK])
  const statementTimeoutMs = 100
  const connecting = connectDatabase({ ...readDatabase(url), statementTimeoutMs })
  let isDone = false
  const done = connecting.then(() => {
    isDone = true
  })
  await untilAsync('it has waited for three times that', async () => {
    const { count } = await database.query(
      "select 1 from pg_stat_activity where wait_event = 'advisory' and query_start < now() - $1 * interval '1 ms'",
      [3 * statementTimeoutMs],
    )
    return count > 0
  })
  expect(isDone).toBe(false)
  await changing.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK])
  await done
  const connected = await connecting
  onTestFinished(() => connected.close())
  await expect(connected.query('select pg_sleep(5)')).rejects.toMatchObject({
    failure: { code: 'store_unavailable', logCause: expect.stringContaining('statement timeout') },
  })
})

test('a change of a table in use delays requests of other nodes by a second at most', async () => {
  const { database, url } = shared.current
  const reading = await database.reserve()
  onTestFinished(() => reading.release())
  await reading.query('begin')
  await reading.query('select count(*) from keys')
  const statements = ["alter table keys add column later text not null default ''"]
  const later = { name: 'later', statements, knownBy: 1 }
  const migrating = await connectDatabase(readDatabase(url))
  onTestFinished(() => migrating.close())
  const applied = applyPostgresMigrations(migrating, 'headgate', [...postgresMigrations, later])
  const isWaiting = async () =>
    (await database.query("select 1 from pg_stat_activity where wait_event_type = 'Lock'")).count > 0
  for (let round = 0; round < 3; round += 1) {
    await untilAsync('the change waits for the table', isWaiting)
    const startedAtMs = performance.now()
    await database.query('select count(*) from keys')
    expect(performance.now() - startedAtMs).toBeLessThan(2_000)
  }
  await reading.query('commit')
  await applied
  expect((await database.query("select 1 from migrations where name = 'later'")).count).toBe(1)
})
