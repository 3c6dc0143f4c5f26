/** The only reader of the time. */
export function nowMs(): number {
  return Date.now()
}

/** A moment in milliseconds that only ever grows, to measure with. */
export function monotonicMs(): number {
  return performance.now()
}
