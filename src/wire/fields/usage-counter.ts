import type { JsonValue } from '../../kit/json/json.ts'

/** Reads counts of usage, and records whether any count was not a whole number or was adjusted to fit the others. */
export class UsageCounter {
  isEstimated: boolean

  constructor(isEstimated = false) {
    this.isEstimated = isEstimated
  }

  /** An absent count is zero. A fraction is rounded up, since nobody pays for tokens that are not counted. */
  count(value: JsonValue | undefined): number {
    if (value === undefined || value === null) return 0
    if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value
    this.isEstimated = true
    if (typeof value !== 'number' || !(value > 0)) return 0
    return Math.min(Math.ceil(value), Number.MAX_SAFE_INTEGER)
  }

  /** Returns the count, limited to the rest. */
  partOf(counted: number, rest: number): number {
    if (counted > rest) this.isEstimated = true
    return Math.min(counted, rest)
  }
}
