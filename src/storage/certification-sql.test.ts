import { join } from 'node:path'
import { Kysely } from 'kysely'
import { onTestFinished } from 'vitest'
import { describeCertificationStore } from '../../test/contract/certification-store.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createSqlCertificationStore } from './certification-sql.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import type { Tables } from './tables.ts'

describeCertificationStore('SQLite', async () => {
  const sqlite = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  onTestFinished(() => sqlite.close())
  await applyMigrations(sqlite)
  return createSqlCertificationStore(new Kysely<Tables>({ dialect: createSqliteDialect(sqlite) }))
})
