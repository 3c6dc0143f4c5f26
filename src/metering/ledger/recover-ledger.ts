import type { NanoDollars } from '../../canonical/money.ts'
import type { PriceVersion, PriceVersionId } from '../../catalog/prices/price.ts'
import { brand } from '../../kit/brand.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { LedgerRow } from '../ledger-row.ts'
import type { CounterState, LedgerStore } from '../ledger-store.ts'
import { settleOrphan } from './settle-orphan.ts'

export interface RecoveryOptions {
  readonly store: LedgerStore
  readonly clock: Pick<Clock, 'nowMs'>
  /** Finds a price; undefined if the version is no longer known. */
  readonly findPrice: (id: PriceVersionId) => PriceVersion | undefined
}

export interface RecoveredLedger {
  /** The sums of the windows that may still be open. No amounts are held in them. */
  readonly counters: readonly CounterState[]
  /** The number of attempts that the previous process left unsettled. */
  readonly orphans: number
}

const ROWS_IN_COMMIT = 1_000

/**
 * Settles the attempts that a crash left open. The process is not ready before that. Fails with `store_unavailable`.
 */
export async function recoverLedger({ store, clock, findPrice }: RecoveryOptions): Promise<RecoveredLedger> {
  const nowMs = clock.nowMs()
  const { counters, openIntents } = await store.load(nowMs)
  const rows = openIntents.map((open) => {
    const { priceVersion } = open.intent
    const price = priceVersion === undefined ? undefined : findPrice(priceVersion)
    return settleOrphan(open, { price, nowMs })
  })
  for (let from = 0; from < rows.length; from += ROWS_IN_COMMIT)
    await store.commit({ intents: [], checkpoints: [], rows: rows.slice(from, from + ROWS_IN_COMMIT) })
  return { counters: addCounted(counters, rows), orphans: rows.length }
}

function addCounted(counters: readonly CounterState[], rows: readonly LedgerRow[]): readonly CounterState[] {
  const sums = new Map(counters.map((counter) => [writeKey(counter), counter]))
  for (const { amount, ...window } of rows.flatMap(({ counted }) => counted)) {
    const key = writeKey(window)
    const spent = (sums.get(key)?.spent ?? 0) + amount
    sums.set(key, { ...window, spent: brand<NanoDollars>(spent) })
  }
  return [...sums.values()]
}

function writeKey({ counter, windowStartMs }: Pick<CounterState, 'counter' | 'windowStartMs'>): string {
  return `${windowStartMs} ${counter}`
}
