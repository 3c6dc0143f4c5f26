/** The current wall-clock time in milliseconds since 1970. No other code reads the clock. */
export function nowMs(): number {
  return Date.now()
}

/** A time in milliseconds that never goes back, for measuring. */
export function monotonicMs(): number {
  return performance.now()
}
