const PARTS = 10

/** Counts of the last window, all and marked, in ten parts, so that old counts leave step by step. */
export class SlidingCounts {
  readonly #partMs: number
  readonly #totals = new Uint32Array(PARTS)
  readonly #marks = new Uint32Array(PARTS)
  #part = 0
  total = 0
  marked = 0

  constructor(windowMs: number) {
    this.#partMs = windowMs / PARTS
  }

  record(isMarked: boolean, nowMs: number): void {
    this.advance(nowMs)
    const slot = this.#part % PARTS
    this.#totals[slot] = (this.#totals[slot] ?? 0) + 1
    this.total += 1
    if (!isMarked) return
    this.#marks[slot] = (this.#marks[slot] ?? 0) + 1
    this.marked += 1
  }

  /** Drops what is older than the window. */
  advance(nowMs: number): void {
    const part = Math.floor(nowMs / this.#partMs)
    if (part - this.#part >= PARTS) this.clear()
    for (let next = Math.max(this.#part + 1, part - PARTS); next <= part; next += 1) this.#empty(next % PARTS)
    this.#part = Math.max(this.#part, part)
  }

  /** The marked share of the last fifth of the window, or 0 below `leastMarked`. */
  recentShare(leastMarked: number): number {
    const now = this.#part % PARTS
    const before = (this.#part + PARTS - 1) % PARTS
    const marked = (this.#marks[now] ?? 0) + (this.#marks[before] ?? 0)
    const total = (this.#totals[now] ?? 0) + (this.#totals[before] ?? 0)
    return marked < leastMarked ? 0 : marked / Math.max(1, total)
  }

  clear(): void {
    this.#totals.fill(0)
    this.#marks.fill(0)
    this.total = 0
    this.marked = 0
  }

  #empty(slot: number): void {
    this.total -= this.#totals[slot] ?? 0
    this.marked -= this.#marks[slot] ?? 0
    this.#totals[slot] = 0
    this.#marks[slot] = 0
  }
}
