import type { CounterKey } from '../../../metering/ledger-row.ts'
import type { PostgresQueries } from '../open-postgres.ts'
import { END_IF_SILENT } from './epochs.ts'
import { inLockOrder } from './in-lock-order.ts'
import { storedText } from './stored-text.ts'

const MAX_KNOWN = 100_000

/** Makes the missing rows of windows. Windows that exist are remembered. */
export class WindowRows {
  readonly #known = new Set<string>()

  async ensure(queries: PostgresQueries, windows: readonly CounterKey[]): Promise<void> {
    const missing = new Map<string, CounterKey>()
    for (const window of windows) {
      const name = nameOfWindow(window)
      if (!this.#known.has(name)) missing.set(name, window)
    }
    if (missing.size === 0) return
    const sorted = inLockOrder(missing)
    await queries.query(`select ${END_IF_SILENT}`)
    await queries.query(
      `insert into budget_windows (counter, window_start_ms, window_end_ms)
       select * from unnest($1::text[], $2::bigint[], $3::bigint[]) on conflict do nothing`,
      [
        sorted.map(({ counter }) => storedText(counter)),
        sorted.map(({ windowStartMs }) => windowStartMs),
        sorted.map(({ windowEndMs }) => windowEndMs ?? null),
      ],
    )
  }

  /** Remembers windows whose rows are durable. */
  remember(windows: readonly CounterKey[]): void {
    if (this.#known.size + windows.length > MAX_KNOWN) this.#known.clear()
    for (const window of windows) this.#known.add(nameOfWindow(window))
  }
}

export function nameOfWindow({
  counter,
  windowStartMs,
}: Pick<CounterKey, 'counter' | 'windowStartMs'>): string {
  return `${storedText(counter)} ${windowStartMs}`
}
