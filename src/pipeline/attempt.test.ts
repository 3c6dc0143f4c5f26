import { expect, it } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { ConcurrencyLimits } from '../routing/queue/concurrency-limits.ts'
import { holdSlot } from './attempt.ts'

const target = {
  channel: createChannel({ name: 'narrow', models: { m: 'm' }, concurrency: 1 }),
  upstreamModel: 'm',
  capabilities: {},
}

it('an attempt returns its slot when a fault of the gateway ends the call', async () => {
  const clock = createFakeClock()
  const inFlight = new ConcurrencyLimits()
  inFlight.tryAcquire(target)
  const sequence = { finish: () => inFlight.release(target) }
  const breakOff = async () => {
    using _slot = holdSlot({ sequence, clock, onFreed: () => undefined })
    throw new Error('a mistake of our own')
  }
  await expect(breakOff()).rejects.toThrow('a mistake of our own')
  expect(inFlight.isFull(target)).toBe(false)
})
