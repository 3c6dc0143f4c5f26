import { expect, onTestFinished, test } from 'vitest'
import { readDatabase } from '../../src/config/database-schema.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { openPostgres } from '../../src/storage/postgres/open-postgres.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()

test('reports that take long leave connections for requests, and are all answered', async () => {
  const settings = { ...readDatabase(shared.current.url), connections: 4, connectTimeoutMs: 500 }
  const pool = await openPostgres({ settings, clock: systemClock, chance: () => 0.5 })
  onTestFinished(() => pool.close())
  const { promise: isOver, resolve: end } = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const reports = Array.from({ length: 6 }, () =>
    pool.longTransaction(async (queries) => {
      begun.resolve()
      await isOver
      return queries.query('select 1')
    }, 30_000),
  )
  await begun.promise
  await Promise.all(Array.from({ length: 20 }, () => pool.query('select 1')))
  end()
  expect(await Promise.all(reports)).toHaveLength(6)
})
