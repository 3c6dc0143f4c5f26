import type { KeyId } from '../access/key.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { LedgerReader } from './ledger-reader.ts'

/** A span from `sinceMs` (included) to `untilMs` (excluded), both on quarters of an hour. */
export interface UsageSpan {
  readonly sinceMs: number
  readonly untilMs: number
}

export interface KeyUsageOptions {
  readonly reader: Pick<LedgerReader, 'usage'>
  readonly clock: Pick<Clock, 'monotonicMs'>
}

interface Reading extends UsageSpan {
  readonly atMs: number
  readonly charged: Promise<bigint>
}

/** The time for which a reading is reused. A client that polls causes one read of the ledger in this time. */
const READING_LIFETIME_MS = 10_000

/**
 * The charges of keys in the ledger. Callers ask for them, so at most one read of each key is in progress at a time.
 */
export class KeyUsage {
  readonly #options: KeyUsageOptions
  /** The last reading of each key, the oldest first. */
  readonly #readings = new Map<KeyId, Reading>()

  constructor(options: KeyUsageOptions) {
    this.#options = options
  }

  /** The charge in nano-dollars. Throws the errors of the ledger reader. */
  async charged(keyId: KeyId, span: UsageSpan): Promise<bigint> {
    this.#forgetOld()
    for (let last = this.#readings.get(keyId); last !== undefined; last = this.#readings.get(keyId)) {
      if (last.sinceMs === span.sinceMs && last.untilMs === span.untilMs) return last.charged
      // The failure is reported to the caller of that reading.
      await last.charged.catch(() => undefined)
      if (this.#readings.get(keyId) === last) break
    }
    const charged = this.#read(keyId, span)
    const reading = { ...span, atMs: this.#options.clock.monotonicMs(), charged }
    this.#readings.delete(keyId)
    this.#readings.set(keyId, reading)
    charged.catch(() => {
      // The failure is reported to this caller. The next caller reads again.
      if (this.#readings.get(keyId) === reading) this.#readings.delete(keyId)
    })
    return charged
  }

  async #read(key: KeyId, span: UsageSpan): Promise<bigint> {
    const { totals } = await this.#options.reader.usage({
      ...span,
      by: [],
      timeZone: 'UTC',
      filter: { key },
      order: 'name',
      limit: 1,
    })
    return totals.charged
  }

  #forgetOld(): void {
    const oldestMs = this.#options.clock.monotonicMs() - READING_LIFETIME_MS
    for (const [keyId, { atMs }] of this.#readings) {
      if (atMs > oldestMs) return
      this.#readings.delete(keyId)
    }
  }
}
