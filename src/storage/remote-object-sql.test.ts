import { join } from 'node:path'
import { Kysely } from 'kysely'
import { onTestFinished } from 'vitest'
import { describeRemoteObjectStore } from '../../test/contract/remote-object-store.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createByteSealer } from '../kit/bytes/seal.ts'
import { systemRandom } from '../kit/random/random.ts'
import { createSqlRemoteObjects } from './remote-object-sql.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import type { Tables } from './tables.ts'

describeRemoteObjectStore('SQLite', async () => {
  const database = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  onTestFinished(() => database.close())
  await applyMigrations(database)
  const queries = new Kysely<Tables>({ dialect: createSqliteDialect(database) })
  return createSqlRemoteObjects(queries, createByteSealer(systemRandom.bytes(32), systemRandom))
})
