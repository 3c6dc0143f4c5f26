import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { ReasoningCache } from '../../pipeline/reasoning/reasoning-cache.ts'
import { createProcessBus, type LocalBus } from '../nodes/process-bus.ts'
import { shareReasoning } from './share-reasoning.ts'

const key = { keyId: 'key_1', callId: 'call_1', fingerprint: 7 }
const cached = { account: 'openai', layout: { pieces: [], callIds: [], isSigned: true, bytes: 10 } }

/** Two processes: what one publishes comes to the other as plain data. */
function openTwo() {
  const published: string[] = []
  const buses: LocalBus[] = []
  const caches = [0, 1].map((own) => {
    const bus = createProcessBus((topic, value) => {
      published.push(topic)
      buses[1 - own]?.deliver(topic, JSON.parse(JSON.stringify(value)))
    })
    buses.push(bus)
    const cache = new ReasoningCache(createFakeClock())
    shareReasoning(bus, cache)
    return cache
  })
  const [first, second] = caches
  if (first === undefined || second === undefined) throw new Error('two caches were opened')
  return { first, second, published }
}

it('gives each process the reasoning that another has found', () => {
  const { first, second } = openTwo()
  first.keep(key, cached)
  expect(second.holds('key_1')).toBe(true)
  expect(second.holds('key_2')).toBe(false)
})

it('does not send back reasoning that came from another process', () => {
  const { first, published } = openTwo()
  first.keep(key, cached)
  expect(published).toEqual(['reasoning'])
})
