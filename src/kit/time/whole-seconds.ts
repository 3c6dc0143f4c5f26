/** The clocks that times are counted by are no more exact than this. */
const TOLERANCE_MS = 50

/** A wait in whole seconds, at least one: never shorter than it is, save by what clocks differ. */
export function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil((ms - TOLERANCE_MS) / 1_000))
}
