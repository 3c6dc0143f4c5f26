import type { Clock } from '../kit/time/clock.ts'
import { MINUTE_MS } from '../kit/time/time-units.ts'

/** A cached value that is slow to get and that expires. */
export interface ExpiringValue<Value> {
  readonly value: Value
  readonly lifetimeMs: number
}

export interface Refreshed<Value> {
  /** The current value. Calls during a fetch wait for that fetch. */
  get(): Promise<Value>
  /** Drops the value, so that the next call fetches another one. */
  drop(): void
}

/**
 * The time before a value's expiry at which another is fetched, so that no call is in flight when the old one expires.
 */
const REFRESH_EARLY_MS = 5 * MINUTE_MS

export function refreshAhead<Value>(
  fetch: () => Promise<ExpiringValue<Value>>,
  clock: Clock,
): Refreshed<Value> {
  let held: { readonly value: Value; readonly refreshAtMs: number; readonly expiresAtMs: number } | undefined
  let fetching: Promise<Value> | undefined

  async function refresh(): Promise<Value> {
    const { value, lifetimeMs } = await fetch()
    const nowMs = clock.monotonicMs()
    held = {
      value,
      refreshAtMs: nowMs + lifetimeMs - Math.min(REFRESH_EARLY_MS, lifetimeMs / 2),
      expiresAtMs: nowMs + lifetimeMs,
    }
    return value
  }

  return {
    async get() {
      const known = held
      if (known !== undefined && known.refreshAtMs > clock.monotonicMs()) return known.value
      fetching ??= refresh().finally(() => {
        fetching = undefined
      })
      try {
        return await fetching
      } catch (error) {
        // The old value is still valid for a while.
        if (known !== undefined && known.expiresAtMs > clock.monotonicMs()) return known.value
        throw error
      }
    },
    drop() {
      held = undefined
    },
  }
}
