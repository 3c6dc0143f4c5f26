// What the answers of the meter store say about other processes.
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import type { LeaseShortage } from '../budgets/lease-shortage.ts'
import type { CounterState } from '../ledger-store.ts'
import type { Lease, LeaseAsk } from './meter-store.ts'

/** The amounts that other processes have spent in the requested windows. The leases of the asks come first. */
export function findOthersSpending(
  asks: readonly LeaseAsk[],
  leases: readonly Lease[],
): readonly CounterState[] {
  return asks.flatMap(({ window }, index) => {
    const lease = leases[index]
    return lease === undefined ? [] : [{ ...window, spent: brand<NanoDollars>(lease.spentByOthers) }]
  })
}

/** Whether a lease answers one of the asks. */
export function isLeaseOf(lease: Lease, asks: readonly LeaseAsk[]): boolean {
  return asks.some(
    ({ window }) => window.counter === lease.counter && window.windowStartMs === lease.windowStartMs,
  )
}

/** Whether the store has enough for another order, or was not asked for this window in the last one. */
export function hasEnoughLeft({ window, minimum }: LeaseShortage, leases: readonly Lease[]): boolean {
  const lease = leases.find(
    (each) => each.counter === window.counter && each.windowStartMs === window.windowStartMs,
  )
  return lease === undefined || lease.left >= minimum
}

/** The counters with amounts that other processes may give back. */
export function findReturnable(short: readonly LeaseShortage[], leases: readonly Lease[]): readonly string[] {
  return short.flatMap(({ window: { counter } }) =>
    leases.some((lease) => lease.counter === counter && lease.grantedToOthers > 0) ? [counter] : [],
  )
}
