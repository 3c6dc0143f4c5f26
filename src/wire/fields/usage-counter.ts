import { boundCount } from '../../canonical/usage.ts'
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
    const count = typeof value === 'number' ? boundCount(value) : 0
    if (count !== value) this.isEstimated = true
    return count
  }

  /** Returns the count, limited to the rest. */
  partOf(counted: number, rest: number): number {
    if (counted > rest) this.isEstimated = true
    return Math.min(counted, rest)
  }
}
