/** The tolerance for clocks, which are no more exact than this. */
const TOLERANCE_MS = 50

/**
 * Rounds a wait up to whole seconds, at least one. The result is never shorter than the wait, except for the
 * tolerance of the clocks.
 */
export function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil((ms - TOLERANCE_MS) / 1_000))
}
