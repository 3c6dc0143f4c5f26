// Decides how soon a process that ended is replaced, by the lives of its predecessors, and when that is hopeless.

/** The number of consecutive processes in one role that ended soon. */
export interface ShortLives {
  /** Processes that ended before they could serve. */
  readonly unserved: number
  /** Processes that ended before they could serve, or soon after. */
  readonly all: number
}

export const noShortLives: ShortLives = { unserved: 0, all: 0 }

/** A process that served for this long did not have a fault that recurs immediately. */
const SETTLED_AFTER_MS = 2_000
const FIRST_PAUSE_MS = 100
const MAX_PAUSE_MS = 5_000
const MAX_UNSERVED = 8
const MAX_SHORT_LIVES = 20

/** Adds the life of a process. `servedMs` is undefined if the process could never serve. */
export function addLife(before: ShortLives, servedMs: number | undefined): ShortLives {
  if (servedMs === undefined) return { unserved: before.unserved + 1, all: before.all + 1 }
  return { unserved: 0, all: servedMs < SETTLED_AFTER_MS ? before.all + 1 : 0 }
}

/** The pause before the next process starts. There is no pause after the first short life. */
export function pauseAfter({ all }: ShortLives): number {
  return all <= 1 ? 0 : Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** (all - 2))
}

/** The reason not to start another process, since it would end as well; undefined if it may succeed. */
export function hopelessness({ unserved, all }: ShortLives): string | undefined {
  if (unserved >= MAX_UNSERVED) return `ended ${unserved} times in a row before it could serve`
  if (all < MAX_SHORT_LIVES) return undefined
  return `ended ${all} times in a row before it had served for ${SETTLED_AFTER_MS / 1_000} s`
}
