import { createSecretKey } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { createKeyRegistry } from '../../access/key-registry.ts'
import type { KeyStore } from '../../access/key-store.ts'
import { failureOf, GatewayError } from '../../canonical/failure.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { openKeyStore } from '../../storage/open-key-store.ts'
import { createKeyOperations } from './manage-keys.ts'

const pepper = createSecretKey(Buffer.alloc(32, 1))
const actor = { author: 'test', credential: 'session', address: '' }
const previewChange = async () => ({ effects: [], more_effects: 0 })

async function openStore(): Promise<KeyStore> {
  const { store, close } = await openKeyStore(makeTemporaryFolder())
  onTestFinished(() => close())
  return store
}

/** The operations of one node on the store, with its own keys in memory. */
function openNode(store: KeyStore) {
  const clock = createFakeClock()
  const registry = createKeyRegistry({ keys: [], pepper, clock })
  const maker = { clock, random: systemRandom, pepper }
  const operations = createKeyOperations({ store, registry, maker, actor, previewChange })
  onTestFinished(() => operations.close())
  return { operations, registry }
}

test('a key that two nodes rotate at once is rotated by one, and the other one answers that it was rotated', async () => {
  const store = await openStore()
  const [one, two] = [openNode(store), openNode(store)]
  await one.operations.create({ name: 'ci' })
  const [first, second] = await Promise.allSettled([
    one.operations.rotate('ci', {}),
    two.operations.rotate('ci', {}),
  ])
  expect(first.status).toBe('fulfilled')
  expect(second.status === 'rejected' && failureOf(second.reason)).toMatchObject({ code: 'key_rotated' })
  const third = await two.operations.rotate('ci', {})
  const source = { headers: { 'x-api-key': third.secret }, queryKey: undefined, address: '::1' }
  expect(two.registry.authenticate(source).keyName).toBe('ci')
})

test('a key that one node disables while another one rotates it is refused by both', async () => {
  const store = await openStore()
  const [one, two] = [openNode(store), openNode(store)]
  await one.operations.create({ name: 'ci' })
  const [, changed] = await Promise.all([
    two.operations.rotate('ci', {}),
    one.operations.change('ci', { disabled: true }),
  ])
  expect(changed.status).toBe('disabled')
  expect(one.registry.keys()).toMatchObject([{ disabled: true }])
})

test('a key that is revoked only in memory stays refused when the changes of other nodes are read', async () => {
  const store = await openStore()
  const isFull = () => Promise.reject(new GatewayError('store_unavailable'))
  const { operations, registry } = openNode({ ...store, revoke: isFull })
  await operations.create({ name: 'ci' })
  await expect(operations.revoke('ci')).rejects.toThrow('"ci" is revoked from now on')
  await operations.create({ name: 'other' })
  await operations.reload()
  expect(registry.keys().find(({ name }) => name === 'ci')?.revokedAtMs).toBeDefined()
})
