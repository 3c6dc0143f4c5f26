import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { InvariantError } from '../../kit/errors/invariant-error.ts'
import { BatchPoller } from './batch-poller.ts'

it('of several processes, only the one whose work it is looks for due batches', async () => {
  const clock = createFakeClock()
  const lookedAtMs: number[] = []
  const remoteObjects = {
    findDue: async () => {
      lookedAtMs.push(clock.monotonicMs())
      return []
    },
    prune: async () => undefined,
    update: async () => undefined,
  }
  const refuse = () => {
    throw new InvariantError('no batch is due')
  }
  let isMine = false
  const poller = new BatchPoller({
    dependencies: refuse,
    looks: { batch: refuse, 'message-batch': refuse },
    remoteObjects,
    clock,
    isMine: () => isMine,
    warn: refuse,
  })
  clock.advance(15_000)
  await Promise.resolve()
  isMine = true
  clock.advance(15_000)
  await poller.close()
  expect(lookedAtMs).toEqual([30_000])
})
