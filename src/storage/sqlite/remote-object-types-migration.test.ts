import { join } from 'node:path'
import { Kysely } from 'kysely'
import { expect, it, onTestFinished } from 'vitest'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import type { KeyId } from '../../access/key.ts'
import { brand } from '../../kit/brand.ts'
import { createByteSealer } from '../../kit/bytes/seal.ts'
import { systemRandom } from '../../kit/random/random.ts'
import type { RemoteObject } from '../../stored-answers/remote-object.ts'
import { createSqlRemoteObjects } from '../remote-object-sql.ts'
import type { Tables } from '../tables.ts'
import { applyMigrations } from './apply-migrations.ts'
import { migrations } from './migrations.ts'
import { openSqlite } from './open-sqlite.ts'
import { createSqliteDialect } from './sqlite-dialect.ts'

const file: RemoteObject = {
  keyId: brand<KeyId>('key_1'),
  id: 'file-1',
  channelName: 'c',
  credentialId: undefined,
  publicName: 'm',
  upstreamModel: 'upstream-m',
  providerId: 'theirs',
  createdAtMs: 1,
  expiresAtMs: 2,
  pollAtMs: undefined,
  detail: { type: 'file', filename: 'a.jsonl', bytes: 3, purpose: 'batch', input: undefined },
}

it('the migration preserves files and batches, and allows objects of other types', async () => {
  const database = await openSqlite(join(makeTemporaryFolder(), 'headgate.db'))
  onTestFinished(() => database.close())
  const before = migrations.findIndex(({ name }) => name === 'remote_object_types')
  await applyMigrations(database, migrations.slice(0, before))
  const queries = new Kysely<Tables>({ dialect: createSqliteDialect(database) })
  const store = createSqlRemoteObjects(queries, createByteSealer(systemRandom.bytes(32), systemRandom))
  await store.add(file)
  const cache: RemoteObject = {
    ...file,
    id: 'cache',
    providerId: 'cachedContents/theirs',
    detail: { type: 'cached-content', shown: {}, uri: undefined },
  }
  await expect(store.add(cache)).rejects.toThrow()
  await applyMigrations(database)
  expect(await store.find(file.keyId, file.id)).toEqual(file)
  await store.add(cache)
  expect(await store.find(cache.keyId, cache.id)).toEqual(cache)
})
