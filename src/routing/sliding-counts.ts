/** The number of buckets in a window. The oldest bucket is dropped whenever a new one begins. */
const BUCKETS = 10

/**
 * Counts events in a sliding window, all of them and those that are marked. The window has ten buckets, so that old
 * counts leave step by step.
 */
export class SlidingCounts {
  readonly #bucketMs: number
  readonly #totals = new Uint32Array(BUCKETS)
  readonly #marks = new Uint32Array(BUCKETS)
  /** The number of the newest bucket. Its index is the remainder by the number of buckets. */
  #newest = 0
  total = 0
  marked = 0

  constructor(windowMs: number) {
    this.#bucketMs = windowMs / BUCKETS
  }

  /** Counts an event that is not marked. */
  add(monotonicMs: number): void {
    this.advance(monotonicMs)
    const index = this.#newest % BUCKETS
    this.#totals[index] = (this.#totals[index] ?? 0) + 1
    this.total += 1
  }

  /** Counts an event that is marked. */
  addMarked(monotonicMs: number): void {
    this.add(monotonicMs)
    const index = this.#newest % BUCKETS
    this.#marks[index] = (this.#marks[index] ?? 0) + 1
    this.marked += 1
  }

  /** Drops counts that are older than the window. */
  advance(monotonicMs: number): void {
    const bucket = Math.floor(monotonicMs / this.#bucketMs)
    for (let next = Math.max(this.#newest, bucket - BUCKETS) + 1; next <= bucket; next += 1)
      this.#empty(next % BUCKETS)
    this.#newest = Math.max(this.#newest, bucket)
  }

  /** The marked share of the last fifth of the window, or 0 below `minMarked`. */
  recentShare(minMarked: number): number {
    const now = this.#newest % BUCKETS
    const before = (this.#newest + BUCKETS - 1) % BUCKETS
    const marked = (this.#marks[now] ?? 0) + (this.#marks[before] ?? 0)
    const total = (this.#totals[now] ?? 0) + (this.#totals[before] ?? 0)
    return marked < minMarked ? 0 : marked / Math.max(1, total)
  }

  clear(): void {
    this.#totals.fill(0)
    this.#marks.fill(0)
    this.total = 0
    this.marked = 0
  }

  #empty(index: number): void {
    this.total -= this.#totals[index] ?? 0
    this.marked -= this.#marks[index] ?? 0
    this.#totals[index] = 0
    this.#marks[index] = 0
  }
}
