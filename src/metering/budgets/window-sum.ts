import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { CounterKey } from '../ledger-row.ts'

/** The sums of one window, in nano-dollars. A rolling window is a series of them. */
export interface WindowSum {
  readonly startMs: number
  /** The time from which the window no longer limits; infinite if it never ends. */
  endMs: number
  spent: number
  /**
   * The amount that resets gave back. It may exceed `spent` for a while: another process may have spent it, and this
   * one learns of the reset first.
   */
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

/** A window that a reset would change. */
export interface ResettableWindow {
  readonly window: CounterKey
  readonly spent: NanoDollars
  /** The part of `spent` that no reset gave back. */
  readonly amount: NanoDollars
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
export function isEmptySum({ spent, resetAmount, holds, own, granted }: WindowSum): boolean {
  const isUnused = spent === 0 && resetAmount === 0 && holds === 0 && own === 0
  return isUnused && (granted === 0 || granted === Number.POSITIVE_INFINITY)
}

/** The spent amount without the part that resets gave back. */
export function netSpentOf({ spent, resetAmount }: WindowSum): number {
  return spent - Math.min(resetAmount, Math.max(0, spent))
}

/** Adds two amounts. The result is capped at the largest exact integer, which is above every limit. */
export function addSafely(one: number, other: number): number {
  return Math.min(one + other, Number.MAX_SAFE_INTEGER)
}

/**
 * The time at which enough windows have ended to free an amount. If all of them together free less, the end of the last
 * window.
 */
export function endOfFreed(open: readonly WindowSum[], amount: number): number {
  const ends = open.toSorted((one, other) => one.endMs - other.endMs)
  let freed = 0
  for (const sum of ends) {
    freed += netSpentOf(sum) + sum.held
    if (freed >= amount) return sum.endMs
  }
  return ends.at(-1)?.endMs ?? Number.POSITIVE_INFINITY
}

export function describeReset(sum: WindowSum, window: CounterKey): ResettableWindow {
  return { window, spent: brand<NanoDollars>(sum.spent), amount: brand<NanoDollars>(netSpentOf(sum)) }
}
