import { expect, test } from 'vitest'
import { brand } from '../../src/kit/brand.ts'
import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import type { RateLimitId } from '../../src/metering/rate-limit.ts'
import { RateShares } from '../../src/metering/rates/rate-shares.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import { createPostgresRateShares } from '../../src/storage/postgres/rate-shares-postgres.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()
const limit = brand<RateLimitId>('key/k')
const figures = { leases: 0, streams: 0, draining: false, ready: true, clockAheadMs: 0 }

async function openNodes(count: number) {
  const { database, empty } = shared.current
  await empty()
  const registry = createPostgresNodes(database)
  const clock = createFakeClock()
  const nodes: RateShares[] = []
  for (let index = 0; index < count; index += 1) {
    const { epoch } = await registry.join(
      { id: `${index}`, version: '0', fileFingerprint: '', ...figures },
      {},
    )
    const store = createPostgresRateShares(database)
    nodes.push(new RateShares({ store, clock, epoch: () => epoch, nodes: () => count }))
  }
  return nodes
}

const sharesOf = (nodes: readonly RateShares[]) => nodes.map((node) => node.shareOf(limit))
const sum = (shares: readonly number[]) => shares.reduce((total, share) => total + share, 0)

async function reportAll(nodes: readonly RateShares[]): Promise<void> {
  for (const node of nodes) await node.report()
}

test('a node with all requests has nearly all of the limit after two reports', async () => {
  const nodes = await openNodes(4)
  for (let round = 0; round < 2; round += 1) {
    for (let count = 0; count < 50; count += 1) nodes[0]?.lacked(limit)
    await reportAll(nodes)
  }
  nodes[0]?.lacked(limit)
  await reportAll(nodes)
  const [first = 0, ...others] = sharesOf(nodes)
  expect(first).toBeGreaterThan(0.9)
  expect(others.every((share) => share > 0 && share < 0.03)).toBe(true)
})

test('the share of a node follows its requests within three reports', async () => {
  const nodes = await openNodes(2)
  for (const busy of [0, 1]) {
    for (let round = 0; round < 5; round += 1) {
      for (let count = 0; count < 50; count += 1) nodes[busy]?.lacked(limit)
      await reportAll(nodes)
    }
    expect(nodes[busy]?.shareOf(limit)).toBeGreaterThan(0.85)
  }
})

test('the sum of the shares never exceeds the limit, for any order of requests', async () => {
  const nodes = await openNodes(4)
  const random = createSeededRandom(18)
  for (let step = 0; step < 150; step += 1) {
    const node = nodes[Math.floor(random.fraction() * nodes.length)]
    for (let count = random.fraction() * 20; count > 0; count -= 1)
      if (random.fraction() < 0.5) node?.lacked(limit)
      else node?.asked(limit)
    if (random.fraction() < 0.3) await Promise.all(nodes.map((each) => each.report()))
    else await node?.report()
    expect(sum(sharesOf(nodes))).toBeLessThan(1 + 1e-9)
  }
})

test('a limit that no node exhausts is shared evenly, and writes no row', async () => {
  const nodes = await openNodes(2)
  for (let count = 0; count < 50; count += 1) nodes[0]?.asked(limit)
  await reportAll(nodes)
  expect(sharesOf(nodes)).toEqual([0.5, 0.5])
  const { rows } = await shared.current.database.query('select * from rate_shares')
  expect(rows).toEqual([])
})
