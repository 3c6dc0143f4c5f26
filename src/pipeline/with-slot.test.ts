import { expect, it } from 'vitest'
import { createChannel } from '../../test/support/create-channel.ts'
import { createFakeClock } from '../../test/support/fake-clock.ts'
import { ConcurrencyLimits } from '../routing/queue/concurrency-limits.ts'
import { withSlot } from './with-slot.ts'

const target = {
  channel: createChannel({ name: 'narrow', models: { m: 'm' }, concurrency: 1 }),
  upstreamModel: 'm',
  capabilities: {},
}

it('gives a place back when a mistake of our own ends the call', async () => {
  const clock = createFakeClock()
  const inFlight = new ConcurrencyLimits()
  inFlight.tryAcquire(target)
  const sequence = { finish: () => inFlight.release(target) }
  const place = { sequence, clock, onFreed: () => undefined }
  const broken = withSlot(place, { callerLeft: false }, async () => {
    throw new Error('a mistake of our own')
  })
  await expect(broken).rejects.toThrow('a mistake of our own')
  expect(inFlight.isFull(target)).toBe(false)
})
