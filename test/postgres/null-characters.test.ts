import { expect, test } from 'vitest'
import type { KeyId } from '../../src/access/key.ts'
import { brand } from '../../src/kit/brand.ts'
import { createSealer } from '../../src/kit/bytes/seal.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import {
  createPostgresCaptures,
  createPostgresStores,
} from '../../src/storage/postgres/open-postgres-stores.ts'
import { createPostgresRequestLog } from '../../src/storage/postgres/request-log/request-log-postgres.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()
const keyId = brand<KeyId>('key_1')

test('an ID with a null character is not found, as any other ID that does not exist', async () => {
  const { database, empty } = shared.current
  await empty()
  const { store, openSealedStores } = createPostgresStores(database, {
    epoch: () => brand<Epoch>(1),
    mayPrune: () => true,
  })
  const sealer = createSealer('a secret of tests', systemRandom)
  const { storedResponses } = await openSealedStores({ sealer, previous: [], random: systemRandom })
  expect(await store.find('a\0')).toBe(undefined)
  expect(await storedResponses.find(keyId, 'resp_\0')).toBe(undefined)
  expect(await storedResponses.findItems(keyId, ['item_\0'])).toEqual(new Map())
  const log = createPostgresRequestLog(database)
  expect(await log.find('req_\0')).toBe(undefined)
})

test('a capture of a model whose name has a null character is stored', async () => {
  const { database, empty } = shared.current
  await empty()
  const captures = createPostgresCaptures(database, () => true)
  const named = { requestId: 'req_1', keyId, keyName: 'ci', user: undefined, group: undefined, model: 'a\0b' }
  const seen = { operation: 'chat', status: 404, atMs: 1, hasPrompt: true, hasAnswer: false }
  await captures.append([{ ...named, ...seen, content: new Uint8Array([1]) }])
  const { captures: found } = await captures.page({ limit: 1, model: 'a\0b' })
  expect(found).toMatchObject([{ requestId: 'req_1', model: 'a\uFFFDb' }])
})
