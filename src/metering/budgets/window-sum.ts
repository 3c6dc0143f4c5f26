/** The sums of one window, in nano-dollars; a rolling window is a row of them. */
export interface WindowSum {
  readonly startMs: number
  /** The moment from which the window limits nothing; infinite if it never ends. */
  endMs: number
  spent: number
  /** The part of what is spent that a reset gave back. */
  resetAmount: number
  held: number
  /** Holds that are not settled. */
  holds: number
  /** Whether it is a part of what limits a request now. */
  isOpen: boolean
  /** The amount that this process may spend and hold of it; infinite where no other process shares it. */
  granted: number
  /** The amount that this process has spent of it since it was granted the first. */
  own: number
}

/** A part of the spent amount of a window that is held again. */
export interface HeldAgain {
  readonly sum: WindowSum
  readonly amount: number
}

/** A span of time in which a credit has the same grants; every part limits without an end. */
export interface PartWindow {
  readonly type: 'part'
  readonly startMs: number
}

/** Whether forgetting it changes nothing. */
export function isEmptySum({ spent, holds, own, granted }: WindowSum): boolean {
  return spent === 0 && holds === 0 && own === 0 && (granted === 0 || granted === Number.POSITIVE_INFINITY)
}

/** Adds up to the largest number that is exact; no limit is as high. */
export function addSafely(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER)
}
