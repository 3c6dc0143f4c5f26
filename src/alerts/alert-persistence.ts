import { innerReasonOf } from '../canonical/failure.ts'
import type { Clock } from '../kit/time/clock.ts'
import { createDelayedSave } from '../kit/time/delayed-save.ts'
import { DAY_MS } from '../kit/time/time-units.ts'
import type { Alert } from './alert.ts'
import type { AlertStore } from './alert-store.ts'

/** Resolved alerts are stored for a year, and at most this many of them. */
const KEEP_RESOLVED_MS = 365 * DAY_MS
const MAX_RESOLVED = 50_000

const SAVE_AFTER_MS = 500

export interface AlertPersistence {
  /** Reads the alerts that were open or muted. Resolves with no alerts if reading fails. */
  load(): Promise<readonly Alert[]>
  /** Stores the current state of an alert within a second. */
  save(alert: Alert): void
  /** Resolves after every saved alert is stored. */
  flush(): Promise<void>
  /** Drops the changes that are not stored yet. */
  forget(): void
  close(): Promise<void>
}

export interface AlertPersistenceOptions {
  readonly store: AlertStore
  readonly clock: Clock
  /** Called once when the store starts to fail. */
  readonly warn: (message: string) => void
}

/**
 * Stores alerts so that they survive a restart. If storing fails, the newest state of each alert waits and is
 * retried.
 */
export function createAlertPersistence({ store, clock, warn }: AlertPersistenceOptions): AlertPersistence {
  const unsaved = new Map<string, Alert>()

  async function saveAll(): Promise<void> {
    if (unsaved.size === 0) return
    const alerts = [...unsaved.values()]
    unsaved.clear()
    try {
      await store.save(alerts)
      await store.prune({ resolvedBeforeMs: clock.nowMs() - KEEP_RESOLVED_MS, maxResolved: MAX_RESOLVED })
    } catch (error) {
      for (const alert of alerts) if (!unsaved.has(alert.id)) unsaved.set(alert.id, alert)
      throw error
    }
  }

  const saving = createDelayedSave({
    clock,
    saveAfterMs: SAVE_AFTER_MS,
    save: saveAll,
    onFailure: (error) => warn(`alerts cannot be stored: ${innerReasonOf(error)}; it is tried again`),
  })
  return {
    async load() {
      try {
        return await store.loadLive(clock.nowMs())
      } catch (error) {
        warn(`the stored alerts cannot be read, so none is open: ${innerReasonOf(error)}`)
        return []
      }
    },
    save(alert) {
      unsaved.set(alert.id, alert)
      saving.schedule()
    },
    flush: saveAll,
    forget: () => unsaved.clear(),
    close: saving.close,
  }
}
