import { expect, it } from 'vitest'
import { createByteSealer, createSealer } from '../../src/kit/bytes/seal.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import { createSqlAuditStore } from '../../src/storage/audit-sql.ts'
import { createSqlCertificationStore } from '../../src/storage/certification-sql.ts'
import { createSqlConfigDraftStore } from '../../src/storage/config-draft-sql.ts'
import { createSqlCreditStore } from '../../src/storage/credit-store-sql.ts'
import { createSqlKeyStore } from '../../src/storage/key-store-sql.ts'
import { openDataKey } from '../../src/storage/open-data-key.ts'
import { createSqlPeopleStores } from '../../src/storage/people/people-stores-sql.ts'
import { createSqlRemoteObjects } from '../../src/storage/remote-object-sql.ts'
import { describeCertificationStore } from '../contract/certification-store.ts'
import { describeConfigDraftStore } from '../contract/config-draft-store.ts'
import { describeCreditStore } from '../contract/credit-store.ts'
import { describeKeyStore } from '../contract/key-store.ts'
import { describePeopleStores } from '../contract/people-stores.ts'
import { describeRemoteObjectStore } from '../contract/remote-object-store.ts'
import { useDatabase } from './open-stores.ts'

const database = useDatabase()

async function openEmpty() {
  const { queries, empty } = database.current
  await empty()
  const audit = createSqlAuditStore(queries)
  const countAudit = async () => (await audit.list({ before: undefined, limit: 1_000 })).length
  return { queries, countAudit }
}

describeKeyStore('PostgreSQL', async () => createSqlKeyStore((await openEmpty()).queries))
describeCreditStore('PostgreSQL', async () => {
  const { queries, countAudit } = await openEmpty()
  return { store: createSqlCreditStore(queries), countAudit }
})
describeCertificationStore('PostgreSQL', async () => createSqlCertificationStore((await openEmpty()).queries))
describeConfigDraftStore('PostgreSQL', async () => {
  const { queries, countAudit } = await openEmpty()
  return { store: createSqlConfigDraftStore(queries), countAudit }
})
describePeopleStores('PostgreSQL', async () => {
  const { queries, countAudit } = await openEmpty()
  return { stores: createSqlPeopleStores(queries), countAudit }
})
describeRemoteObjectStore('PostgreSQL', async () => {
  const { queries } = await openEmpty()
  return createSqlRemoteObjects(queries, createByteSealer(systemRandom.bytes(32), systemRandom))
})

it('nodes that start at once use one key to seal their data', async () => {
  const { queries } = await openEmpty()
  const sealing = {
    sealer: createSealer('node-secret-0123456789abcdef', systemRandom),
    previous: [],
    random: systemRandom,
  }
  const opened = await Promise.all(Array.from({ length: 4 }, () => openDataKey(queries, 'fresh', sealing)))
  expect(new Set(opened.map(({ bytes }) => bytes.toString('hex'))).size).toBe(1)
})
