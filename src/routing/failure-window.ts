const PARTS = 10

/** Calls and failures of the last while, in ten parts of it, so that what is old leaves step by step. */
export class FailureWindow {
  readonly #partMs: number
  readonly #calls = new Uint32Array(PARTS)
  readonly #failures = new Uint32Array(PARTS)
  #part = 0
  calls = 0
  failures = 0

  constructor(windowMs: number) {
    this.#partMs = windowMs / PARTS
  }

  note(isFailure: boolean, nowMs: number): void {
    this.advance(nowMs)
    const slot = this.#part % PARTS
    this.#calls[slot] = (this.#calls[slot] ?? 0) + 1
    this.calls += 1
    if (!isFailure) return
    this.#failures[slot] = (this.#failures[slot] ?? 0) + 1
    this.failures += 1
  }

  /** Lets go of what is older than the window. */
  advance(nowMs: number): void {
    const part = Math.floor(nowMs / this.#partMs)
    if (part - this.#part >= PARTS) this.clear()
    for (let next = Math.max(this.#part + 1, part - PARTS); next <= part; next += 1) this.#empty(next % PARTS)
    this.#part = Math.max(this.#part, part)
  }

  /** The share of failures in the last fifth, where at least so many are in it; else 0. */
  recentShare(leastFailures: number): number {
    const now = this.#part % PARTS
    const before = (this.#part + PARTS - 1) % PARTS
    const failures = (this.#failures[now] ?? 0) + (this.#failures[before] ?? 0)
    const calls = (this.#calls[now] ?? 0) + (this.#calls[before] ?? 0)
    return failures < leastFailures ? 0 : failures / Math.max(1, calls)
  }

  clear(): void {
    this.#calls.fill(0)
    this.#failures.fill(0)
    this.calls = 0
    this.failures = 0
  }

  #empty(slot: number): void {
    this.calls -= this.#calls[slot] ?? 0
    this.failures -= this.#failures[slot] ?? 0
    this.#calls[slot] = 0
    this.#failures[slot] = 0
  }
}
