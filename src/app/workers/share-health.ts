// The health of channels, credentials and models, shared by all processes of one machine.
import type { CatalogSource } from '../../catalog/catalog.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { HealthChange } from '../../routing/health/health-report.ts'
import type { HealthSnapshot } from '../../routing/health/health-store.ts'
import type { HealthTracker } from '../../routing/health/health-tracker.ts'
import { listCandidates } from '../../routing/list-candidates.ts'
import type { ProcessBus } from '../nodes/process-bus.ts'

export interface ShareHealthOptions {
  readonly tracker: HealthTracker
  readonly catalog: CatalogSource
  readonly clock: Clock
  /** Called when the health of an upstream has changed in another process. */
  readonly onAdopted: () => void
  /** Called for changes that another process observed. Only one process reports them. */
  readonly onOthersChange: (change: HealthChange) => void
}

/** Notifies the other processes of each change except half-open, since a probe concerns only one process. */
export function createHealthAnnouncer(
  bus: ProcessBus,
): (change: HealthChange, snapshot: HealthSnapshot) => void {
  return (change, snapshot) => {
    if (change.to !== 'half-open') bus.publish('health', { change, snapshot })
  }
}

export function shareHealth(bus: ProcessBus, options: ShareHealthOptions): void {
  const { tracker, catalog, clock, onAdopted, onOthersChange } = options
  bus.on('health', ({ change, snapshot }) => {
    const { to, channel, scope, credentialId = '', upstreamModel = '' } = change
    // Processes share only what concerns conversations.
    const isShared = change.operations?.includes('conversation') ?? true
    if (to === 'healthy' && isShared)
      tracker.adoptClosed({ channel, scope, credentialId, upstreamModel }, clock.monotonicMs())
    else if (to !== 'healthy') {
      const channels = new Set(snapshot.breakers.map((one) => one.channel))
      const candidates = listCandidates(catalog.current())
      tracker.adopt(
        snapshot,
        clock,
        candidates.filter(({ target }) => channels.has(target.channel.name)),
      )
    }
    onAdopted()
    onOthersChange(change)
  })
  bus.on('reset-health', (channel) => {
    tracker.forget(channel)
    onAdopted()
  })
}
