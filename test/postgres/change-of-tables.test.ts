import { expect, onTestFinished, test } from 'vitest'
import { readDatabase } from '../../src/config/database-schema.ts'
import { connectDatabase } from '../../src/storage/postgres/open-postgres-stores.ts'
import { MIGRATION_LOCK } from '../../src/storage/postgres/postgres-migrations.ts'
import { untilAsync } from '../support/until.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()

test('a node waits longer than a statement may take for another one that changes the tables', async () => {
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
