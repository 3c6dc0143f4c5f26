import { Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { readDatabase } from '../../src/config/database-schema.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import { createSqlKeyStore } from '../../src/storage/key-store-sql.ts'
import { openPostgres } from '../../src/storage/postgres/open-postgres.ts'
import { createPostgresDialect } from '../../src/storage/postgres/postgres-dialect.ts'
import type { Tables } from '../../src/storage/tables.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()

/** The lock of transactions that run one after the other: "head" in ASCII, and 1. */
const TURN_LOCK = 0x68656164_01

test('a connection whose transaction has waited too long for its turn serves later statements', async () => {
  const { database, url } = shared.current
  const settings = { ...readDatabase(url), statementTimeoutMs: 300, connections: 1 }
  const pool = await openPostgres({ settings, clock: systemClock, chance: () => 0.5 })
  onTestFinished(() => pool.close())
  const store = createSqlKeyStore(new Kysely<Tables>({ dialect: createPostgresDialect(pool, 'in-turn') }))
  await database.transaction(async (queries) => {
    await queries.query('select pg_advisory_xact_lock($1)', [TURN_LOCK])
    await expect(store.writeUses(new Map())).rejects.toMatchObject({ failure: { code: 'store_unavailable' } })
  })
  expect(await store.list()).toEqual([])
  await store.writeUses(new Map())
})
