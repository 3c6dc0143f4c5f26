import type { Clock } from '../../kit/time/clock.ts'
import { createDelayedSave } from '../../kit/time/delayed-save.ts'
import { innerReasonOf } from '../../kit/values/inner-reason-of.ts'
import type { HealthStore } from './health-store.ts'
import type { HealthTracker } from './health-tracker.ts'

export interface HealthKeeperParts {
  readonly book: Pick<HealthTracker, 'snapshot' | 'restore'>
  readonly store: HealthStore
  readonly clock: Clock
  /** Told once when the store begins to fail. */
  readonly warn: (message: string) => void
}

/** Keeps over a restart what is known to be unwell. No request waits for it or fails by it. */
export interface HealthPersistence {
  /** Gives the book what was kept. Where that cannot be read, all counts as well. */
  load(): Promise<void>
  /** Something changed, and is saved soon. */
  noteChange(): void
  /** Saves what is known at this moment, if that can be done. */
  close(): Promise<void>
}

export function createHealthPersistence({ book, store, clock, warn }: HealthKeeperParts): HealthPersistence {
  const saving = createDelayedSave({
    clock,
    save: () => store.save(book.snapshot(clock)),
    onFailure: (error) => warn(`the health of channels cannot be saved: ${innerReasonOf(error)}`),
  })
  return {
    async load() {
      try {
        const snapshot = await store.load()
        if (snapshot !== undefined) book.restore(snapshot, clock)
      } catch (error) {
        warn(`the stored health of channels cannot be read, so all start as healthy: ${innerReasonOf(error)}`)
      }
    },
    noteChange: saving.schedule,
    close: saving.close,
  }
}
