import { join } from 'node:path'
import { Kysely } from 'kysely'
import { describe, expect, onTestFinished, test } from 'vitest'
import { describePeopleStores } from '../../../test/contract/people-stores.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { userSorts } from '../../access/people/user-store.ts'
import { innerReasonOf } from '../../canonical/failure.ts'
import { createSqlAuditStore } from '../audit-sql.ts'
import { applyMigrations } from '../sqlite/apply-migrations.ts'
import { openSqlite } from '../sqlite/open-sqlite.ts'
import { createSqliteDialect } from '../sqlite/sqlite-dialect.ts'
import type { Tables } from '../tables.ts'
import { createSqlPeopleStores } from './people-stores-sql.ts'

async function open() {
  const sqlite = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  onTestFinished(() => sqlite.close())
  await applyMigrations(sqlite)
  const asked: string[] = []
  const database = new Kysely<Tables>({
    dialect: createSqliteDialect(sqlite),
    log: ({ query: { sql } }) => void asked.push(sql),
  })
  const audit = createSqlAuditStore(database)
  return {
    sqlite,
    asked,
    stores: createSqlPeopleStores(database),
    countAudit: async () => (await audit.list({ before: undefined, limit: 1_000 })).length,
  }
}

describePeopleStores('SQLite', open)

test('a link with damaged groups fails as a fault of the store, and names the row', async () => {
  const { sqlite, stores } = await open()
  const row = "'lnk_1', 'd', 'invitation', 'member', '[{', null, null, 1, 'tests', 2"
  await sqlite.run([{ sql: `insert into links values (${row})`, parameters: [] }], 'single')
  const fault = await stores.links.list().catch((error: unknown) => error)
  expect(fault).toMatchObject({ failure: { code: 'store_unavailable' } })
  expect(innerReasonOf(fault)).toContain('the row of link lnk_1 is damaged')
})

describe('pages of users', () => {
  const anyUsers = { search: undefined, role: undefined, group: undefined, disabled: undefined, limit: 50 }

  test.each(userSorts)('sorted by %s use an index, so that many users cost no more', async (sort) => {
    const { sqlite, asked, stores } = await open()
    for (const descending of [false, true])
      await stores.users.list({ ...anyUsers, sort, descending, after: undefined })
    const plans = await Promise.all(
      asked.map((sql) =>
        sqlite.run([{ sql: `explain query plan ${sql.replaceAll('?', '1')}`, parameters: [] }], 'single'),
      ),
    )
    const steps = JSON.stringify(plans)
    expect(steps).toContain('USING INDEX users_by_')
    expect(steps).not.toContain('TEMP B-TREE')
  })
})
