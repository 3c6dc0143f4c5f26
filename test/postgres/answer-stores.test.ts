import { brand } from '../../src/kit/brand.ts'
import { createSealer } from '../../src/kit/bytes/seal.ts'
import { systemRandom } from '../../src/kit/random/random.ts'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import {
  createPostgresCaptures,
  createPostgresStores,
} from '../../src/storage/postgres/open-postgres-stores.ts'
import { describeAlertStore } from '../contract/alert-store.ts'
import { describeAnswerStores, insertAnsweringKey } from '../contract/answer-stores.ts'
import { describeCaptureStore } from '../contract/capture-store.ts'
import { describeConfigVersionStore } from '../contract/config-version-store.ts'
import { describeHealthStore } from '../contract/health-store.ts'
import { useDatabase } from './open-stores.ts'

const database = useDatabase()
const mayPrune = () => true

async function open() {
  const { empty, database: pool } = database.current
  await empty()
  return createPostgresStores(pool, { epoch: () => brand<Epoch>(1), mayPrune })
}

describeConfigVersionStore('PostgreSQL', async () => (await open()).configVersions)
describeHealthStore('PostgreSQL', async () => (await open()).health)
describeAlertStore('PostgreSQL', async () => (await open()).alerts)
describeCaptureStore('PostgreSQL', async () => {
  await open()
  return createPostgresCaptures(database.current.database, mayPrune)
})
describeAnswerStores('PostgreSQL', async () => {
  const { store, openSealedStores } = await open()
  const sealer = createSealer('a secret of tests', systemRandom)
  const sealed = await openSealedStores({ sealer, previous: [], random: systemRandom })
  return { ...sealed, keyId: await insertAnsweringKey(store) }
})
