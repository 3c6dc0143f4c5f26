import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { checkPepper } from './check-pepper.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'

const used = (fill: number) => ({ pepper: Buffer.alloc(32, fill), hasKeys: true })

test('a database that cannot be written to is opened all the same, and marked by the next start', async () => {
  const folder = makeTemporaryFolder()
  const database = await openSqlite(join(folder, 'headgate.db'))
  onTestFinished(() => database.close())
  const setReadOnly = (value: number) =>
    database.run([{ sql: `pragma query_only = ${value}`, parameters: [] }], 'single')
  await setReadOnly(1)
  await checkPepper(folder, database, used(1))
  await checkPepper(folder, database, used(2))
  await setReadOnly(0)
  await checkPepper(folder, database, used(2))
  await expect(checkPepper(folder, database, used(1))).rejects.toThrow('is not the one that the keys')
})
