import { createSeededRandom } from '../../src/kit/seeded-random.ts'
import { HealthBook } from '../../src/routing/health-book.ts'
import { InFlightBook } from '../../src/routing/in-flight-book.ts'
import { LatencyBook } from '../../src/routing/latency-book.ts'

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
