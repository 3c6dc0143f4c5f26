import type { Clock, Timer } from './clock.ts'

/** The time during which changes are gathered into one save. */
const SAVE_AFTER_MS = 2_000
const RETRY_AFTER_MS = 30_000

export interface DelayedSaveOptions {
  readonly clock: Clock
  /** The time during which changes are gathered into one save. Two seconds by default. */
  readonly saveAfterMs?: number
  /** Saves the state at the moment of the call. Calls do not overlap. A rejected call is repeated later. */
  readonly save: () => Promise<void>
  /** Called once when saving begins to fail. */
  readonly onFailure: (error: unknown) => void
}

export interface DelayedSave {
  /** Schedules a save. Further calls before the save join it. */
  schedule(): void
  /** Saves now if possible. Never rejects. */
  flush(): Promise<void>
  /** Saves now if possible, and never again after that. Never rejects. */
  close(): Promise<void>
}

export function createDelayedSave({
  clock,
  saveAfterMs = SAVE_AFTER_MS,
  save,
  onFailure,
}: DelayedSaveOptions): DelayedSave {
  let timer: Timer | undefined
  let saving: Promise<void> = Promise.resolve()
  let isFailing = false
  let isClosed = false

  function saveAfter(delayMs: number) {
    if (isClosed) return
    timer ??= clock.startTimer(delayMs, () => {
      timer = undefined
      void saveNext()
    })
  }

  function saveNext(): Promise<void> {
    saving = saving.then(saveNow)
    return saving
  }

  async function saveNow(): Promise<void> {
    try {
      await save()
      isFailing = false
    } catch (error) {
      if (!isFailing) onFailure(error)
      isFailing = true
      saveAfter(RETRY_AFTER_MS)
    }
  }

  function flush(): Promise<void> {
    timer?.cancel()
    timer = undefined
    return saveNext()
  }

  return {
    schedule: () => saveAfter(saveAfterMs),
    flush,
    async close() {
      isClosed = true
      await flush()
    },
  }
}
