export interface ShareState {
  /** The shares in percent, rising. */
  readonly warnAt: readonly number[]
  readonly limit: number
  readonly spent: number
  readonly nowMs: number
  /** The end of the time in which a share that is reached now is not reached again. */
  readonly untilMs: number
}

/** The shares of a limit that were reached in a window, so that each is reported once. */
export class ReachedShares {
  readonly #untilMs = new Map<number, number>()
  #limit: number | undefined
  #adopts = false

  /** Regards the shares that are reached at the next `adopt` as reported by the process before this one. */
  adoptNext(): void {
    this.#adopts = true
  }

  /** Each share is reported again when it is reached. */
  restart(): void {
    this.#untilMs.clear()
  }

  /** Whether `adopt` is due. */
  get isBehind(): boolean {
    return this.#adopts
  }

  /** Notes the shares that are reached before this process has spent anything. */
  adopt(state: ShareState): void {
    if (this.#adopts) this.update(state)
    this.#adopts = false
  }

  /** Whether `update` would change something: asked at each settlement, and nearly always false. */
  isDue(warnAt: readonly number[], limit: number, spent: number): boolean {
    const lowest = warnAt[0]
    return this.#limit !== limit || (lowest !== undefined && isReached(lowest, limit, spent))
  }

  /** The shares that are reached for the first time in this window, or under this limit. */
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
