/** The sums of one window, in nano-dollars. A rolling window is a series of them. */
export interface WindowSum {
  readonly startMs: number
  /** The time from which the window no longer limits; infinite if it never ends. */
  endMs: number
  spent: number
  /** The part of `spent` that resets gave back. */
  resetAmount: number
  held: number
  /** The number of holds that are not settled. */
  holds: number
  /** Whether the window limits requests now. */
  isOpen: boolean
  /** The amount that this process may spend and hold in the window; infinite where no other process shares it. */
  granted: number
  /** The amount that this process has spent in the window since its first grant. */
  own: number
}

/** A part of the spent amount of a window that became a hold again. */
export interface HeldAgain {
  readonly sum: WindowSum
  readonly amount: number
}

/** A period in which a credit has the same grants. Every part limits without an end. */
export interface PartWindow {
  readonly type: 'part'
  readonly startMs: number
}

/** Whether the window can be removed without loss. */
export function isEmptySum({ spent, holds, own, granted }: WindowSum): boolean {
  return spent === 0 && holds === 0 && own === 0 && (granted === 0 || granted === Number.POSITIVE_INFINITY)
}

/** Adds two amounts. The result is capped at the largest exact integer, which is above every limit. */
export function addSafely(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER)
}
