import { expect, onTestFinished, test } from 'vitest'
import { SharedNode } from '../../src/app/nodes/shared-node.ts'
import { GatewayError } from '../../src/canonical/failure.ts'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { untilAsync } from '../support/until.ts'
import { nodeDetails, useDatabase } from './open-stores.ts'

const shared = useDatabase()

async function joinNode() {
  const { database, empty } = shared.current
  await empty()
  const nodes = createPostgresNodes(database)
  const clock = createFakeClock(Date.now())
  const node = new SharedNode({ nodes, clock, version: '0', id: 'a', secrets: {}, atStart: nodeDetails })
  onTestFinished(() => node.leave())
  await node.join()
  return { nodes, clock, node }
}

test('a node that joined again and could not read its sums then reads them later, before it holds amounts', async () => {
  const { nodes, clock, node } = await joinNode()
  const events: string[] = []
  let isAway = true
  node.start({
    warn: () => undefined,
    figures: () => nodeDetails,
    onRenewed: () => events.push('renewed'),
    async onBegun(epoch: Epoch) {
      events.push(isAway ? 'failed' : `begun ${epoch === node.epoch()}`)
      if (isAway) throw new GatewayError('store_unavailable')
    },
  })
  await nodes.leave(node.epoch())
  await untilAsync('it has begun', async () => {
    clock.advance(1_000)
    if (events.length > 0) isAway = false
    return events.some((event) => event.startsWith('begun'))
  })
  expect(events.slice(0, 2)).toEqual(['failed', 'begun true'])
})

test('a node publishes that it serves as soon as it does, and not with the next regular renewal', async () => {
  const { nodes, clock, node } = await joinNode()
  const renewed = Promise.withResolvers<void>()
  node.start({
    warn: () => undefined,
    figures: () => ({ ...nodeDetails, ready: true, configVersion: 7 }),
    onRenewed: () => renewed.resolve(),
    onBegun: async () => undefined,
  })
  clock.advance(1_000)
  await renewed.promise
  expect(await nodes.list()).toMatchObject([{ id: 'a', ready: true, configVersion: 7 }])
})
