import type { JsonValue } from '../../kit/json/json.ts'

/** Reads counts of usage; remembers whether any was no whole number, or was adjusted to fit the others. */
export class UsageCounter {
  isEstimated: boolean

  constructor(isEstimated = false) {
    this.isEstimated = isEstimated
  }

  /** Absent is zero. What is between two numbers becomes the larger, since a count too low is billed to nobody. */
  count(value: JsonValue | undefined): number {
    if (value === undefined || value === null) return 0
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
    this.isEstimated = true
    if (typeof value !== 'number' || !(value > 0)) return 0
    return Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER)
  }

  /** The count, at most what is left. */
  partOf(counted: number, rest: number): number {
    if (counted > rest) this.isEstimated = true
    return Math.min(counted, rest)
  }
}
