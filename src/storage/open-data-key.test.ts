import { join } from 'node:path'
import { Kysely } from 'kysely'
import { expect, it } from 'vitest'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createSealer } from '../kit/bytes/seal.ts'
import { systemRandom } from '../kit/random/random.ts'
import { openDataKey } from './open-data-key.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import type { Tables } from './tables.ts'

async function open() {
  const database = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  await applyMigrations(database)
  return new Kysely<Tables>({ dialect: createSqliteDialect(database) })
}

const sealingBy = (secret: string) => ({
  sealer: createSealer(secret, systemRandom),
  previous: [],
  random: systemRandom,
})

it.each(['one', 'two'])(
  'processes that start together have one key, even if the secret was "%s"',
  async (before) => {
    const database = await open()
    const sealing = sealingBy('two')
    const first = await openDataKey(database, 'other', sealingBy(before))
    const opened = await Promise.all(Array.from({ length: 4 }, () => openDataKey(database, 'other', sealing)))
    const fresh = await Promise.all(Array.from({ length: 4 }, () => openDataKey(database, 'fresh', sealing)))
    expect(new Set(opened.map(({ bytes }) => bytes.toString('hex'))).size).toBe(1)
    expect(new Set(fresh.map(({ bytes }) => bytes.toString('hex'))).size).toBe(1)
    expect(opened[0]?.bytes.equals(first.bytes)).toBe(before === 'two')
    await database.destroy()
  },
)

it('a start with a wrong secret destroys no key: each secret gets its own key back', async () => {
  const database = await open()
  const openBy = (secret: string) => openDataKey(database, 'other', sealingBy(secret))
  const [one, two] = [await openBy('one'), await openBy('two')]
  expect([one.state, two.state]).toEqual(['made', 'lost'])
  for (const [secret, expected] of [
    ['one', one],
    ['two', two],
    ['one', one],
  ] as const)
    expect(await openBy(secret)).toEqual({ bytes: expected.bytes, state: 'opened' })
  expect(await database.selectFrom('data_keys').select('name').execute()).toHaveLength(2)
  await database.destroy()
})
