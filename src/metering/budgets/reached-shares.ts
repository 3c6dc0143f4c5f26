export interface ShareState {
  /** The shares of the limit in percent, in ascending order. */
  readonly warnAt: readonly number[]
  readonly limit: number
  readonly spent: number
  readonly nowMs: number
  /** The time until which a share that is reached now is not reported again. */
  readonly untilMs: number
}

/** The shares of a limit that were reached in a window. Each of them is reported once. */
export class ReachedShares {
  readonly #untilMs = new Map<number, number>()
  #limit: number | undefined
  #adopts = false

  /** Makes the next `adopt` treat the reached shares as already reported, by the previous process. */
  adoptNext(): void {
    this.#adopts = true
  }

  /** Makes each share be reported again when it is reached. */
  restart(): void {
    this.#untilMs.clear()
  }

  /** Whether `adopt` must be called. */
  get isBehind(): boolean {
    return this.#adopts
  }

  /** Marks the shares as reported that were reached before this process spent anything. */
  adopt(state: ShareState): void {
    if (this.#adopts) this.update(state)
    this.#adopts = false
  }

  /**
   * Whether `update` could change something. The check is cheap: it runs at each settlement, and is nearly always
   * false.
   */
  isDue(warnAt: readonly number[], limit: number, spent: number): boolean {
    const lowest = warnAt[0]
    return this.#limit !== limit || (lowest !== undefined && isReached(lowest, limit, spent))
  }

  /** Returns the shares that are reached for the first time in this window, or under this limit. */
  update({ warnAt, limit, spent, nowMs, untilMs }: ShareState): readonly number[] {
    if (this.#limit !== limit) {
      for (const percent of this.#untilMs.keys())
        if (!isReached(percent, limit, spent)) this.#untilMs.delete(percent)
      this.#limit = limit
    }
    const reached: number[] = []
    for (const percent of warnAt) {
      if (!isReached(percent, limit, spent)) break
      if (nowMs < (this.#untilMs.get(percent) ?? Number.NEGATIVE_INFINITY)) continue
      this.#untilMs.set(percent, untilMs)
      reached.push(percent)
    }
    return reached
  }
}

function isReached(percent: number, limit: number, spent: number): boolean {
  return spent * 100 >= limit * percent
}
