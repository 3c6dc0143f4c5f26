import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createFakeClock, type FakeClock } from '../../../test/support/fake-clock.ts'
import {
  batchOf,
  counted,
  createLedgerIntent,
  createLedgerRow,
  LEDGER_START_MS,
} from '../../../test/support/ledger-row.ts'
import { idleNode } from '../../../test/support/shared-budgets.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { untilAsync } from '../../../test/support/until.ts'
import { brand } from '../../kit/brand.ts'
import { CallClient } from '../../kit/local-calls/call-client.ts'
import { CallHost } from '../../kit/local-calls/call-host.ts'
import { callable, callableFor, createRemoteObject } from '../../kit/local-calls/called-object.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { EpochEndedError } from '../../metering/leases/epoch-ended-error.ts'
import type { MeterStore } from '../../metering/leases/meter-store.ts'
import type { NodeRegistry } from '../../metering/leases/node-registry.ts'
import { openLedger } from '../ledger/open-ledger.ts'
import { OwnedMeter } from './owned-meter.ts'
import { type OwnerStores, ownerMethods } from './owner-stores.ts'
import { ownerUnavailable, storeFaults } from './store-faults.ts'

const CEILING = 1_000
const HOLD = 10
const GONE_AFTER_MS = 10_000
const window = { counter: 'team', windowStartMs: 0, windowEndMs: undefined }
const ask = { window, isRolling: false, ceiling: CEILING, needed: HOLD, minimum: HOLD, ahead: 0 }

interface OpenedOwner {
  readonly meter: OwnedMeter
  readonly path: string
  readonly clock: FakeClock
}

/** A meter with a real file, that others call over a real socket. */
async function openOwner(): Promise<OpenedOwner> {
  const dataFolder = makeTemporaryFolder()
  const path = join(dataFolder, 'workers.sock')
  const clock = createFakeClock(LEDGER_START_MS)
  const file = await openLedger({ dataFolder, onDiskFault: () => undefined })
  const meter = new OwnedMeter({ file, clock, earlierOrphansAfterMs: 0 })
  await meter.open()
  const host = new CallHost({
    path,
    faults: storeFaults,
    clock: systemClock,
    onGone: (process) => meter.gone(process),
    objects: {
      meter: callable<MeterStore>(meter, ownerMethods.meter),
      nodes: callable<NodeRegistry>(meter.nodes, ownerMethods.nodes),
      ledger: callableFor(
        (process): OwnerStores['ledger'] => ({
          load: () => meter.load(),
          commit: (epoch, batch) => meter.commit(batch, { epoch, process }),
        }),
        ownerMethods.ledger,
      ),
    },
  })
  await host.listen()
  onTestFinished(async () => {
    host.close()
    await file.close()
  })
  return { meter, path, clock }
}

async function openWorker({ path }: OpenedOwner, id: string) {
  const client = new CallClient({
    path,
    process: id,
    clock: systemClock,
    faults: storeFaults,
    unavailable: ownerUnavailable,
    onEvent: () => undefined,
    onConnectedAnew: () => undefined,
  })
  onTestFinished(() => client.close())
  const meter = createRemoteObject<MeterStore>(client, 'meter', ownerMethods.meter)
  const nodes = createRemoteObject<NodeRegistry>(client, 'nodes', ownerMethods.nodes)
  const ledger = createRemoteObject<OwnerStores['ledger']>(client, 'ledger', ownerMethods.ledger)
  const { epoch } = await nodes.join({ ...idleNode, id }, {})
  return {
    epoch,
    ledger,
    nodes,
    /** All that it was granted, once it has asked for so many holds, all at once. */
    async lease(holds: number): Promise<number> {
      const order = { asks: [ask], returns: [] }
      const leases = await Promise.all(Array.from({ length: holds }, () => meter.lease(epoch, order)))
      return Math.max(...leases.flat().map(({ granted }) => granted))
    },
    die: () => client.close(),
  }
}

/** Waits until the owner has seen that the other process is gone. */
function untilAlone({ meter }: OpenedOwner): Promise<void> {
  return untilAsync('one process is left', async () => (await meter.nodes.list()).length === 1)
}

it('two processes with simultaneous requests hold exactly the available amount', async () => {
  const owner = await openOwner()
  const [one, other] = [await openWorker(owner, 'one'), await openWorker(owner, 'other')]
  const granted = await Promise.all([one.lease(80), other.lease(80)])
  expect(granted[0] + granted[1]).toBe(CEILING)
  expect(Math.min(...granted)).toBeGreaterThan(0)
  expect([await one.lease(1), await other.lease(1)]).toEqual(granted)
})

it('a process that dies returns its leases, except for holds with an intent', async () => {
  const owner = await openOwner()
  const [one, other] = [await openWorker(owner, 'one'), await openWorker(owner, 'other')]
  expect(await other.lease(100)).toBe(CEILING)
  expect(await one.lease(1)).toBe(0)
  const held = [{ ...counted('team', HOLD), counts: 'cost' as const }]
  await other.ledger.commit(other.epoch, batchOf({ intents: [createLedgerIntent(1, { held })] }))
  other.die()
  await untilAlone(owner)
  expect(await one.lease(100)).toBe(CEILING - HOLD)
})

it('an attempt of a dead process is settled by another after ten seconds, and the rest of its hold is returned', async () => {
  const owner = await openOwner()
  const [one, other] = [await openWorker(owner, 'one'), await openWorker(owner, 'other')]
  await other.lease(1)
  const held = [{ ...counted('team', HOLD), counts: 'cost' as const }]
  await other.ledger.commit(other.epoch, batchOf({ intents: [createLedgerIntent(1, { held })] }))
  expect(await one.lease(99)).toBe(CEILING - HOLD)
  other.die()
  await untilAlone(owner)
  owner.clock.advance(GONE_AFTER_MS - 1)
  expect(await owner.meter.findOrphans()).toEqual([])
  owner.clock.advance(1)
  expect((await owner.meter.findOrphans()).map(({ intent }) => intent.id)).toEqual([createLedgerIntent(1).id])
  const row = createLedgerRow(1, { counted: [counted('team', HOLD / 2)] })
  await one.ledger.commit(one.epoch, batchOf({ rows: [row] }))
  expect(await owner.meter.findOrphans()).toEqual([])
  expect((await owner.meter.load()).counters.map(({ spent }) => spent)).toEqual([HOLD / 2])
})

it('an intent of an ended epoch is named, so that the others of its batch can be written', async () => {
  const owner = await openOwner()
  const worker = await openWorker(owner, 'one')
  const [late, good] = [brand<Epoch>(worker.epoch - 1), worker.epoch].map((epoch, index) =>
    createLedgerIntent(index + 1, { epoch }),
  )
  if (late === undefined || good === undefined) throw new Error('no intents')
  const both = worker.ledger.commit(worker.epoch, batchOf({ intents: [late, good] }))
  await expect(both).rejects.toThrow(expect.objectContaining({ name: 'EpochEndedError', intents: [late.id] }))
  await worker.ledger.commit(worker.epoch, batchOf({ intents: [good] }))
})

it('an intent of an ended epoch is refused, and leaves nothing held', async () => {
  const owner = await openOwner()
  const [one, other] = [await openWorker(owner, 'one'), await openWorker(owner, 'other')]
  await other.lease(1)
  await other.nodes.leave(other.epoch)
  const held = [{ ...counted('team', HOLD), counts: 'cost' as const }]
  const late = other.ledger.commit(other.epoch, batchOf({ intents: [createLedgerIntent(1, { held })] }))
  await expect(late).rejects.toThrow(EpochEndedError)
  expect(await one.lease(100)).toBe(CEILING)
})
