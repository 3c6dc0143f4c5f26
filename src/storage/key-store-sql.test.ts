import { join } from 'node:path'
import { Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { describeKeyStore } from '../../test/contract/key-store.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createSqlKeyStore } from './key-store-sql.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'

async function openStore() {
  const sqlite = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  onTestFinished(() => sqlite.close())
  await applyMigrations(sqlite)
  return { sqlite, store: createSqlKeyStore(new Kysely({ dialect: createSqliteDialect(sqlite) })) }
}

describeKeyStore('SQLite', async () => (await openStore()).store)

test('a damaged row is reported as a fault of the store', async () => {
  const { sqlite, store } = await openStore()
  const sql = `insert into keys (id, name, digest, hint, models, allow_ips, disabled, created_at_ms, origin)
    values ('key_1', 'n', 'd', '', '{', '[]', 0, 1, 'made')`
  await sqlite.run([{ sql, parameters: [] }], 'single')
  await expect(store.list()).rejects.toMatchObject({ failure: { code: 'store_unavailable' } })
})
