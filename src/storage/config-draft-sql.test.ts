import { join } from 'node:path'
import { Kysely } from 'kysely'
import { onTestFinished } from 'vitest'
import { describeConfigDraftStore } from '../../test/contract/config-draft-store.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createSqlAuditStore } from './audit-sql.ts'
import { createSqlConfigDraftStore } from './config-draft-sql.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import type { Tables } from './tables.ts'

describeConfigDraftStore('SQLite', async () => {
  const sqlite = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  onTestFinished(() => sqlite.close())
  await applyMigrations(sqlite)
  const database = new Kysely<Tables>({ dialect: createSqliteDialect(sqlite) })
  const audit = createSqlAuditStore(database)
  return {
    store: createSqlConfigDraftStore(database),
    countAudit: async () => (await audit.list({ before: undefined, limit: 100 })).length,
  }
})
