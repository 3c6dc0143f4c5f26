// The state of upstreams that outlives a request, and the queue of requests that wait for upstreams.
import type { CatalogSource } from '../catalog/catalog.ts'
import type { Channel } from '../catalog/channel.ts'
import { isSameUpstreamOf } from '../catalog/is-same-upstream.ts'
import type { Config } from '../config/config.ts'
import { systemRandom } from '../kit/random/random.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { HealthChange } from '../routing/health/health-report.ts'
import type { HealthSnapshot, HealthStore } from '../routing/health/health-store.ts'
import { HealthTracker } from '../routing/health/health-tracker.ts'
import { createHealthPersistence } from '../routing/health/persist-health.ts'
import { listCandidates } from '../routing/list-candidates.ts'
import { LatencyTracker } from '../routing/order/latency-tracker.ts'
import { ConcurrencyLimits } from '../routing/queue/concurrency-limits.ts'
import { createCredentialRotation } from '../routing/queue/credential-rotation.ts'
import { RequestQueue } from '../routing/queue/request-queue.ts'
import { RetryBudget } from '../routing/retry-budget.ts'

export interface RoutingStateOptions {
  readonly healthStore: HealthStore
  readonly clock: Clock
  readonly warn: (message: string) => void
  /** Called when a circuit breaker of a channel, a credential or a model opens, half-opens or closes. */
  readonly onHealthChange: (change: HealthChange) => void
  /** Notifies other processes of a change, with the state of all breakers that are not closed. */
  readonly announceHealth?: ((change: HealthChange, snapshot: HealthSnapshot) => void) | undefined
}

export type OpenedRoutingState = Awaited<ReturnType<typeof openRoutingState>>

export async function openRoutingState(
  options: RoutingStateOptions,
  catalog: CatalogSource,
  cleanup: AsyncDisposableStack,
) {
  const { healthStore: store, clock, warn, onHealthChange, announceHealth } = options
  const queueHolder = createQueueHolder(clock)
  const health = new HealthTracker({
    random: systemRandom,
    candidates: () => listCandidates(catalog.current()),
    onChange(change) {
      recordHealthChange()
      onHealthChange(change)
      announceHealth?.(change, health.snapshot(clock))
    },
  })
  const state = {
    health,
    inFlight: new ConcurrencyLimits(),
    latency: new LatencyTracker(),
    retryBudget: new RetryBudget(),
    rotation: createCredentialRotation(),
  }
  const persistence = createHealthPersistence({ tracker: health, store, clock, warn })
  await persistence.load()
  cleanup.defer(() => persistence.close())
  cleanup.defer(() => queueHolder.current?.close())

  /** A waiting request may use a target that is back in rotation, and stops waiting for one that is out of rotation. */
  function recordHealthChange() {
    persistence.saveSoon()
    queueHolder.current?.wake()
  }

  return {
    state,
    /** Called when the health of an upstream has changed. */
    recordHealthChange,
    queueFor: queueHolder.withPolicy,
    /** Forgets removed channels, and the state of an address or a key that was replaced. */
    keepOnly: createForgetter(health, () => persistence.saveSoon()),
  }
}

/**
 * Creates a holder with one queue for all configurations, since requests of the old and the new configuration compete
 * for the same slots.
 */
function createQueueHolder(clock: Clock) {
  let current: RequestQueue | undefined
  return {
    get current() {
      return current
    },
    /** Undefined if requests never wait. */
    withPolicy(policy: Config['queue']): RequestQueue | undefined {
      if (policy === undefined) return undefined
      current ??= new RequestQueue({ policy, clock })
      current.setPolicy(policy)
      return current
    },
  }
}

const wholeChannel = { credentialId: undefined }

function createForgetter(health: HealthTracker, onForgotten: () => void) {
  let previous: readonly Channel[] = []
  return (channels: readonly Channel[]): void => {
    health.keepOnly(new Set(channels.map(({ name }) => name)))
    for (const channel of channels) {
      const previousChannel = previous.find(({ name }) => name === channel.name)
      const isChanged =
        previousChannel !== undefined && !isSameUpstreamOf(wholeChannel, previousChannel, channel)
      if (isChanged) health.forget(channel.name)
    }
    previous = channels
    onForgotten()
  }
}
