import { createSeededRandom } from '../../src/kit/values/seeded-random.ts'
import { HealthBook } from '../../src/routing/health/health-tracker.ts'
import { LatencyBook } from '../../src/routing/order/latency-tracker.ts'
import { InFlightBook } from '../../src/routing/queue/concurrency-limits.ts'

/** What plans go by, with nothing known yet. */
export function createRoutingFacts(seed = 1) {
  const random = createSeededRandom(seed)
  return {
    health: new HealthBook({ random }),
    inFlight: new InFlightBook(),
    latency: new LatencyBook(),
    random,
    turnOf: (_channelName: string): number => 0,
  }
}
