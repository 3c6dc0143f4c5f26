import { Kysely } from 'kysely'
import { afterAll, beforeAll } from 'vitest'
import { readDatabase } from '../../src/config/database-schema.ts'
import { systemClock } from '../../src/kit/time/clock.ts'
import type { NodeDetails } from '../../src/metering/leases/node-registry.ts'
import { openPostgres, type PostgresDatabase } from '../../src/storage/postgres/open-postgres.ts'
import { createPostgresDialect } from '../../src/storage/postgres/postgres-dialect.ts'
import { applyPostgresMigrations } from '../../src/storage/postgres/postgres-migrations.ts'
import type { Tables } from '../../src/storage/tables.ts'
import { type PostgresServer, startPostgres } from '../support/postgres.ts'

/** Two processors that other tests use as well make the first tables of a server slowly. */
const START_WITHIN_MS = 120_000

export interface TestDatabase {
  readonly server: PostgresServer
  readonly url: string
  readonly database: PostgresDatabase
  readonly queries: Kysely<Tables>
  /** Empties every table, which costs a hundredth of another database. */
  empty(): Promise<void>
}

/** What a node says of itself. */
export const nodeDetails: NodeDetails = {
  id: 'a',
  version: '0',
  fileFingerprint: '',
  leases: 0,
  streams: 0,
  draining: false,
  ready: true,
  clockAheadMs: 0,
}

/** One server with one database for all tests of a file. Read it within tests alone. */
export function useDatabase(): { readonly current: TestDatabase } {
  let open: TestDatabase | undefined
  beforeAll(async () => {
    const server = await startPostgres()
    const url = await server.createDatabase()
    const database = await openPool(url)
    await applyPostgresMigrations(database, 'headgate')
    const queries = new Kysely<Tables>({ dialect: createPostgresDialect(database, 'in-turn') })
    open = { server, url, database, queries, empty: () => emptyTables(database) }
  }, START_WITHIN_MS)
  afterAll(async () => {
    await open?.database.close()
    await open?.server[Symbol.asyncDispose]()
  })
  return {
    get current() {
      if (open === undefined) throw new Error('the database is not open yet')
      return open
    },
  }
}

/** A pool on a database; its opener closes it. */
export function openPool(url: string): Promise<PostgresDatabase> {
  return openPostgres({ settings: readDatabase(url), clock: systemClock, chance: () => 0.5 })
}

async function emptyTables(database: PostgresDatabase): Promise<void> {
  const { rows } = await database.query(
    "select tablename from pg_tables where schemaname = 'headgate' and tablename not in ('migrations', 'changes')",
  )
  const names = rows.map(({ tablename }) => String(tablename))
  await database.query(`truncate ${names.join(', ')} restart identity`)
  for (const state of ['request_log_state', 'traffic_state'])
    await database.query(`insert into ${state} default values`)
}
