import { join } from 'node:path'
import { Kysely } from 'kysely'
import { expect, onTestFinished, test } from 'vitest'
import { describeRemoteObjectStore } from '../../test/contract/remote-object-store.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import type { KeyId } from '../access/key.ts'
import { brand } from '../kit/brand.ts'
import { createByteSealer } from '../kit/bytes/seal.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { RemoteObject } from '../stored-answers/remote-object.ts'
import { createSqlRemoteObjects } from './remote-object-sql.ts'
import { applyMigrations } from './sqlite/apply-migrations.ts'
import { openSqlite } from './sqlite/open-sqlite.ts'
import { createSqliteDialect } from './sqlite/sqlite-dialect.ts'
import type { Tables } from './tables.ts'

async function openQueries(): Promise<Kysely<Tables>> {
  const database = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  onTestFinished(() => database.close())
  await applyMigrations(database)
  return new Kysely<Tables>({ dialect: createSqliteDialect(database) })
}

const makeSealer = () => createByteSealer(systemRandom.bytes(32), systemRandom)

describeRemoteObjectStore('SQLite', async () => createSqlRemoteObjects(await openQueries(), makeSealer()))

test('batches of another secret, which are due before, do not hide one that can be read', async () => {
  const queries = await openQueries()
  const [before, now] = [makeSealer(), makeSealer()].map((sealer) => createSqlRemoteObjects(queries, sealer))
  for (let index = 0; index < 250; index += 1) await before?.add(makeBatch(`old-${index}`, index))
  await now?.add(makeBatch('new', 1_000))
  expect((await now?.findDue(2_000, 20))?.map(({ id }) => id)).toEqual(['new'])
})

function makeBatch(id: string, pollAtMs: number): RemoteObject {
  return {
    keyId: brand<KeyId>('key'),
    id,
    channelName: 'chat',
    credentialId: undefined,
    publicName: 'm',
    upstreamModel: 'm',
    providerId: id,
    createdAtMs: 0,
    expiresAtMs: 10_000,
    pollAtMs,
    detail: { type: 'message-batch', parts: [], polls: 0, shown: {} },
  }
}
