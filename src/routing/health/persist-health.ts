import { innerReasonOf } from '../../canonical/failure.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { createDelayedSave } from '../../kit/time/delayed-save.ts'
import type { HealthStore } from './health-store.ts'
import type { HealthTracker } from './health-tracker.ts'

export interface HealthPersistenceOptions {
  readonly tracker: Pick<HealthTracker, 'snapshot' | 'restore'>
  readonly store: HealthStore
  readonly clock: Clock
  /** Called once when the store begins to fail. */
  readonly warn: (message: string) => void
}

/**
 * Stores the circuit breakers, so that a restart does not lose them. No request waits for this or fails because of it.
 */
export interface HealthPersistence {
  /** Restores the stored breakers. If they cannot be read, everything starts as healthy. */
  load(): Promise<void>
  /** Saves a change within seconds. */
  saveSoon(): void
  /** Saves the current state if the store allows it. */
  close(): Promise<void>
}

export function createHealthPersistence({
  tracker,
  store,
  clock,
  warn,
}: HealthPersistenceOptions): HealthPersistence {
  const saving = createDelayedSave({
    clock,
    save: () => store.save(tracker.snapshot(clock)),
    onFailure: (error) => warn(`the health of channels cannot be saved: ${innerReasonOf(error)}`),
  })
  return {
    async load() {
      try {
        const snapshot = await store.load()
        if (snapshot !== undefined) tracker.restore(snapshot, clock)
      } catch (error) {
        warn(`the stored health of channels cannot be read, so all start as healthy: ${innerReasonOf(error)}`)
      }
    },
    saveSoon: saving.schedule,
    close: saving.close,
  }
}
