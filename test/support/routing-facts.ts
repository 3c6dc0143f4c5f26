import { createSeededRandom } from '../../src/kit/random/seeded-random.ts'
import { HealthTracker } from '../../src/routing/health/health-tracker.ts'
import { LatencyTracker } from '../../src/routing/order/latency-tracker.ts'
import { ConcurrencyLimits } from '../../src/routing/queue/concurrency-limits.ts'
import { createCredentialRotation } from '../../src/routing/queue/credential-rotation.ts'

/** The facts that plans use, with nothing known yet. */
export function createRoutingFacts(seed = 1) {
  const random = createSeededRandom(seed)
  return {
    health: new HealthTracker({ random }),
    inFlight: new ConcurrencyLimits(),
    latency: new LatencyTracker(),
    random,
    rotation: createCredentialRotation(),
  }
}
