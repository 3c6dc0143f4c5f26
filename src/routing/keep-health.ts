import type { Clock, Timer } from '../kit/clock.ts'
import type { HealthBook } from './health-book.ts'
import type { HealthStore } from './health-store.ts'

/** Changes wait for each other so long, and are then saved together. */
const SAVE_AFTER_MS = 2_000
const RETRY_AFTER_MS = 30_000

export interface HealthKeeperParts {
  readonly book: Pick<HealthBook, 'snapshot' | 'restore'>
  readonly store: HealthStore
  readonly clock: Clock
  /** Told once when the store begins to fail. */
  readonly warn: (message: string) => void
}

/** Keeps over a restart what is known to be unwell. No request waits for it or fails by it. */
export interface HealthKeeper {
  /** Gives the book what was kept. Where that cannot be read, all counts as well. */
  load(): Promise<void>
  /** Something changed, and is saved soon. */
  noteChange(): void
  /** Saves what is known at this moment, if that can be done. */
  close(): Promise<void>
}

export function createHealthKeeper({ book, store, clock, warn }: HealthKeeperParts): HealthKeeper {
  let timer: Timer | undefined
  let saving: Promise<void> = Promise.resolve()
  let isFailing = false
  let isClosed = false

  function saveAfter(delayMs: number) {
    timer ??= clock.startTimer(delayMs, () => {
      timer = undefined
      void save()
    })
  }

  function save(): Promise<void> {
    saving = saving.then(saveNow)
    return saving
  }

  async function saveNow(): Promise<void> {
    try {
      await store.save(book.snapshot(clock))
      isFailing = false
    } catch (error) {
      report('what is known of the health of channels cannot be saved', error)
      if (!isClosed) saveAfter(RETRY_AFTER_MS)
    }
  }

  function report(what: string, error: unknown) {
    if (!isFailing) warn(`${what}: ${reasonOf(error)}`)
    isFailing = true
  }

  return {
    async load() {
      try {
        const snapshot = await store.load()
        if (snapshot !== undefined) book.restore(snapshot, clock)
      } catch (error) {
        warn(
          `what was known of the health of channels cannot be read, so all count as well: ${reasonOf(error)}`,
        )
      }
    },
    noteChange() {
      if (!isClosed) saveAfter(SAVE_AFTER_MS)
    },
    async close() {
      isClosed = true
      timer?.cancel()
      await save()
    },
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}
