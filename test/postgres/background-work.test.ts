import { expect, test } from 'vitest'
import { brand } from '../../src/kit/brand.ts'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import { BackgroundWork } from '../../src/storage/postgres/background-work.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { untilAsync } from '../support/until.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()
const figures = { leases: 0, streams: 0, draining: false, ready: true, clockAheadMs: 0 }

async function openWorkers(count: number) {
  const { database, empty } = shared.current
  await empty()
  const registry = createPostgresNodes(database)
  const workers = []
  for (let index = 0; index < count; index += 1) {
    const { epoch } = await registry.join(
      { id: `${index}`, version: '0', fileFingerprint: '', ...figures },
      {},
    )
    const clock = createFakeClock()
    workers.push({ clock, work: new BackgroundWork({ database, epoch: () => epoch, clock }) })
  }
  return workers
}

test('one node does the background work, and continues to do it', async () => {
  const workers = await openWorkers(3)
  for (let round = 0; round < 3; round += 1) {
    await Promise.all(workers.map(({ work }) => work.renew()))
    expect(workers.filter(({ work }) => work.isMine())).toHaveLength(1)
  }
})

test('a node that stops hands the work over to another one at once', async () => {
  const [first, second] = await openWorkers(2)
  await first?.work.renew()
  await second?.work.renew()
  expect([first?.work.isMine(), second?.work.isMine()]).toEqual([true, false])
  await first?.work.stop()
  await second?.work.renew()
  expect([first?.work.isMine(), second?.work.isMine()]).toEqual([false, true])
})

test('a node that dies is replaced after its lease, which it measures by its own clock', async () => {
  const [first, second] = await openWorkers(2)
  await first?.work.renew()
  first?.clock.advance(10_001)
  expect(first?.work.isMine()).toBe(false)
  // The time of the database cannot be moved; the lease is.
  await shared.current.database.query('update background_work set until_ms = until_ms - 10001')
  await untilAsync('the other has it', async () => {
    await second?.work.renew()
    return second?.work.isMine() === true
  })
})

test('nodes whose epochs the others have ended do no background work', async () => {
  const { database, empty } = shared.current
  await empty()
  const works = [1, 2].map(
    () => new BackgroundWork({ database, epoch: () => brand<Epoch>(0), clock: createFakeClock() }),
  )
  for (const work of works) await work.renew()
  expect(works.map((work) => work.isMine())).toEqual([false, false])
})
