import { onTestFinished } from 'vitest'
import { describeAlertStore } from '../../test/contract/alert-store.ts'
import { describeAnswerStores, insertAnsweringKey } from '../../test/contract/answer-stores.ts'
import { describeCaptureStore } from '../../test/contract/capture-store.ts'
import { describeConfigVersionStore } from '../../test/contract/config-version-store.ts'
import { describeHealthStore } from '../../test/contract/health-store.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createSealer } from '../kit/bytes/seal.ts'
import { systemRandom } from '../kit/random/random.ts'
import { openCaptureStore } from './open-capture-store.ts'
import { openKeyStore } from './open-key-store.ts'

async function open() {
  const stores = await openKeyStore(makeTemporaryFolder())
  onTestFinished(() => stores.close())
  return stores
}

describeConfigVersionStore('SQLite', async () => (await open()).configVersions)
describeHealthStore('SQLite', async () => (await open()).health)
describeAlertStore('SQLite', async () => (await open()).alerts)
describeCaptureStore('SQLite', async () => {
  const store = await openCaptureStore(makeTemporaryFolder())
  onTestFinished(() => store.close())
  return store
})
describeAnswerStores('SQLite', async () => {
  const { store, openSealedStores } = await open()
  const sealer = createSealer('a secret of tests', systemRandom)
  const sealed = await openSealedStores({ sealer, previous: [], random: systemRandom })
  return { ...sealed, keyId: await insertAnsweringKey(store) }
})
