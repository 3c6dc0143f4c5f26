import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { batchOf, counted, createLedgerIntent, LEDGER_START_MS } from '../../../test/support/ledger-row.ts'
import { parseYamlConfig } from '../../../test/support/parse-yaml-config.ts'
import { idleNode } from '../../../test/support/shared-budgets.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { until, untilAsync } from '../../../test/support/until.ts'
import type { KeyId } from '../../access/key.ts'
import type { Config } from '../../config/config.ts'
import { resolveConfig } from '../../config/resolve-config.ts'
import { readEnvironment } from '../../config/source/environment.ts'
import { brand } from '../../kit/brand.ts'
import { createSealer } from '../../kit/bytes/seal.ts'
import { CallClient } from '../../kit/local-calls/call-client.ts'
import { createRemoteObject } from '../../kit/local-calls/called-object.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { openKeyStore } from '../../storage/open-key-store.ts'
import { findOwnerSocket } from '../../storage/owner/owner-socket.ts'
import { type OwnerStores, ownerMethods } from '../../storage/owner/owner-stores.ts'
import { ownerUnavailable, storeFaults } from '../../storage/owner/store-faults.ts'
import type { ProcessBus } from '../nodes/process-bus.ts'
import type { SharedFeedOptions, SharedState } from '../nodes/shared-state.ts'
import { openOwnerFolder } from './open-owner-folder.ts'
import { openWorkerFolder } from './open-worker-folder.ts'
import { createSuccession } from './succession.ts'

const CEILING = 1_000
const HOLD = 10
const MISSING_AFTER_MS = 5_000
const GONE_AFTER_MS = 10_000
const window = { counter: 'team', windowStartMs: 0, windowEndMs: undefined }
const ask = { window, isRolling: false, ceiling: CEILING, needed: HOLD, minimum: HOLD, ahead: 0 }
const order = { asks: [ask], returns: [] }
const call = { keyId: brand<KeyId>('key_1'), id: 'once' }

/** Ends the owner that has the files; the test's workers have ended before. */
let closeOwner: () => Promise<void> = async () => undefined

/** The configuration of an installation in a folder of its own. */
function openInstallation(): Config {
  onTestFinished(() => closeOwner())
  return resolveConfig({
    parsed: parseYamlConfig(`data: ${makeTemporaryFolder()}\n`),
    source: { type: 'file', path: 'headgate.yaml' },
    files: { tls: undefined, channels: [] },
    environment: readEnvironment({}),
    outer: {},
    workingFolder: '/',
  })
}

/** Opens the files, or takes them over. `last` is the last work of this owner before the next one has them. */
async function openOwner(
  config: Config,
  last = async (): Promise<void> => undefined,
  { supervisor = 'one', isSupervised = (): boolean => true } = {},
) {
  const clock = createFakeClock(LEDGER_START_MS)
  const onSuccessor = async () => {
    await last()
    await close()
  }
  const opened = await openOwnerFolder(config, {
    version: '1',
    workers: 2,
    onSuccessor,
    clock,
    succession: createSuccession(config.dataFolder, { supervisor, isSupervised }),
  })
  const keys = await opened.folder.openKeys([])
  const close = () => keys.close()
  closeOwner = close
  const sealer = createSealer('secret-0123456789abcdef', systemRandom)
  const { idempotency } = await keys.openSealedStores({ sealer, previous: [], random: systemRandom })
  return { clock, keys, shared: opened.shared, idempotency, bus: opened.bus }
}

async function openWorker(config: Config, id: string) {
  const client = new CallClient({
    path: findOwnerSocket(config.dataFolder),
    process: id,
    clock: systemClock,
    faults: storeFaults,
    unavailable: ownerUnavailable,
    onEvent: () => undefined,
    onConnectedAnew: () => undefined,
  })
  onTestFinished(() => client.close())
  const remote = <Name extends keyof OwnerStores>(name: Name) =>
    createRemoteObject<OwnerStores[Name]>(client, name, ownerMethods[name])
  const { epoch } = await remote('nodes').join({ ...idleNode, id }, {})
  return {
    epoch,
    ledger: remote('ledger'),
    idempotency: remote('idempotency'),
    /** The amount that it has been granted, once it has asked for so many holds. */
    async lease(holds: number): Promise<number> {
      const asked = Array.from({ length: holds }, () => remote('meter').lease(epoch, order))
      return Math.max(...(await Promise.all(asked)).flat().map(({ granted }) => granted))
    },
    die: () => client.close(),
  }
}

it('a worker that dies while the files change hands leaves no lease, no claim and no open attempt', async () => {
  const config = openInstallation()
  await openOwner(config, async () => dying.die())
  const [living, dying] = [await openWorker(config, 'living'), await openWorker(config, 'dying')]
  expect(await dying.lease(CEILING / HOLD)).toBe(CEILING)
  const held = [{ ...counted('team', HOLD), counts: 'cost' as const }]
  await dying.ledger.commit(dying.epoch, batchOf({ intents: [createLedgerIntent(1, { held })] }))
  expect(await dying.idempotency.claim(call, 'a')).toEqual({ type: 'claimed' })
  const next = await openOwner(config)
  expect(await living.lease(1)).toBe(0)
  expect((await living.idempotency.claim(call, 'a')).type).toBe('elsewhere')
  next.clock.advance(MISSING_AFTER_MS)
  await untilAsync('its call may be made', async () => {
    return (await living.idempotency.claim(call, 'a')).type === 'claimed'
  })
  expect(await living.lease(100)).toBe(CEILING - HOLD)
  next.clock.advance(GONE_AFTER_MS)
  const orphans = await next.shared?.ledger.findOrphans()
  expect(orphans?.map(({ intent }) => intent.id)).toEqual([createLedgerIntent(1).id])
})

it('an attempt whose worker died before the files change hands is settled at the same time as without that', async () => {
  const config = openInstallation()
  const before = await openOwner(config)
  const dying = await openWorker(config, 'dying')
  await dying.ledger.commit(dying.epoch, batchOf({ intents: [createLedgerIntent(1)] }))
  before.clock.advance(1_000_000)
  dying.die()
  await untilAsync('its end is seen', async () => (await before.shared?.nodes.list())?.length === 1)
  before.clock.advance(GONE_AFTER_MS / 2)
  const next = await openOwner(config)
  next.clock.advance(GONE_AFTER_MS / 2 - 1)
  expect(await next.shared?.ledger.findOrphans()).toEqual([])
  next.clock.advance(1)
  expect(await next.shared?.ledger.findOrphans()).toHaveLength(1)
})

it('a call in progress stays claimed by its worker, whichever worker reaches the next owner first', async () => {
  const config = openInstallation()
  await openOwner(config)
  const [calling, repeating] = [await openWorker(config, 'calling'), await openWorker(config, 'repeating')]
  await calling.idempotency.claim(call, 'a')
  await openOwner(config)
  expect(await repeating.idempotency.claim(call, 'a')).toEqual({ type: 'elsewhere', fingerprint: 'a' })
  expect(await calling.idempotency.claim(call, 'a')).toEqual({ type: 'claimed' })
})

/** Follows the others as an opened gateway does. The result has the channels of which the health was reset. */
async function follow(
  { bus, shared }: { readonly bus: ProcessBus; readonly shared: SharedState | undefined },
  options: Partial<SharedFeedOptions> = {},
): Promise<readonly string[]> {
  const heard: string[] = []
  bus.on('reset-health', (channel) => heard.push(channel))
  const ignored = () => undefined
  const feed = shared?.openFeed({
    clock: systemClock,
    onChange: async () => undefined,
    onBack: ignored,
    onNeed: ignored,
    ...options,
  })
  await feed?.start()
  return heard
}

async function openFullWorker(config: Config, id: string) {
  const worker = await openWorkerFolder(config, { version: '1', id, workers: 2 })
  const keys = await worker.folder.openKeys([])
  onTestFinished(() => keys.close())
  return worker
}

it('what a worker and the owner publish while the files change hands reaches all others', async () => {
  const config = openInstallation()
  const before = await openOwner(config, async () => {
    before.bus.publish('reset-health', 'of the owner')
    one.bus.publish('reset-health', 'of a worker')
  })
  const [one, two] = [await openFullWorker(config, 'one'), await openFullWorker(config, 'two')]
  const [heardByOne, heardByTwo] = [await follow(one), await follow(two)]
  const next = await openOwner(config)
  await until('both workers are connected', () => heardByOne.length > 0 && heardByTwo.length > 1)
  const heardByOwner = await follow(next)
  expect(heardByOne).toEqual(['of the owner'])
  expect(heardByTwo.toSorted()).toEqual(['of a worker', 'of the owner'])
  await until('the owner has heard it', () => heardByOwner.length > 0)
  expect(heardByOwner).toEqual(['of a worker'])
})

it('a worker reads a change again that it could not read', async () => {
  const config = openInstallation()
  const owner = await openOwner(config)
  const worker = await openFullWorker(config, 'one')
  let reads = 0
  await follow(worker, {
    onChange: async () => {
      reads += 1
      if (reads === 1) throw new Error('no more files can be opened')
    },
  })
  await owner.keys.replaceBootstrap([])
  await until('it is read again', () => reads === 2)
})

it('a process of another supervisor gets the files only after the death of the first', async () => {
  const config = openInstallation()
  let isSupervised = true
  await openOwner(config, undefined, { isSupervised: () => isSupervised })
  const worker = await openWorker(config, 'worker')
  const refused = openOwner(config, undefined, { supervisor: 'other' })
  await expect(refused).rejects.toThrow(expect.objectContaining({ code: 'data_folder_in_use' }))
  expect(await worker.lease(1)).toBe(HOLD)
  isSupervised = false
  await openOwner(config, undefined, { supervisor: 'other' })
  expect(await worker.lease(1)).toBe(2 * HOLD)
})

it('a start on a data folder in use leaves the uploads in progress', async () => {
  const config = openInstallation()
  const single = await openKeyStore(config.dataFolder)
  onTestFinished(() => single.close())
  const upload = join(config.dataFolder, 'uploads', 'part')
  mkdirSync(upload, { recursive: true })
  await expect(openOwner(config)).rejects.toThrow('in use by another Headgate process')
  expect(existsSync(upload)).toBe(true)
})
