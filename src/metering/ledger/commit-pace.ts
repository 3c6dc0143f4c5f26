import type { Clock, Timer } from '../../kit/time/clock.ts'

/** The minimum times from the start of one commit to the start of the next. */
export interface CommitTimes {
  readonly everyMs: number
  /** The minimum time if an answer waits for the commit. */
  readonly hurriedMs: number
}

/** A wait for the next commit. */
interface Wait {
  timer: Timer
  readonly resolve: () => void
}

/**
 * Enforces a minimum time from the start of one commit to the start of the next, since each commit costs two thread
 * wake-ups and an fsync, regardless of its size. A commit that is not preceded by another one does not wait.
 */
export class CommitPace {
  readonly #clock: Clock
  readonly #times: CommitTimes
  #lastCommitMs = Number.NEGATIVE_INFINITY
  #isHurried = false
  #isEnded = false
  #wait: Wait | undefined

  constructor(clock: Clock, times: CommitTimes) {
    this.#clock = clock
    this.#times = times
  }

  begin(startedAtMs: number): void {
    this.#lastCommitMs = startedAtMs
    this.#isHurried = false
  }

  /** Lets the next commit start earlier, since an answer waits for it. */
  hurry(): void {
    if (this.#isHurried) return
    this.#isHurried = true
    const wait = this.#wait
    if (wait === undefined) return
    wait.timer.cancel()
    const leftMs = this.#leftMs()
    if (leftMs > 0) wait.timer = this.#clock.startTimer(leftMs, wait.resolve)
    else wait.resolve()
  }

  /** Lets the next commit start at once. */
  reset(): void {
    this.#lastCommitMs = Number.NEGATIVE_INFINITY
  }

  /** Ends the current wait. No commit waits from now on. */
  end(): void {
    this.#isEnded = true
    this.#wait?.timer.cancel()
    this.#wait?.resolve()
  }

  /** Waits until the next commit may start; undefined if it may start now. */
  wait(): Promise<void> | undefined {
    const leftMs = this.#leftMs()
    if (leftMs <= 0 || this.#isEnded) return undefined
    return new Promise((fulfill) => {
      const resolve = () => {
        this.#wait = undefined
        fulfill()
      }
      this.#wait = { timer: this.#clock.startTimer(leftMs, resolve), resolve }
    })
  }

  #leftMs(): number {
    const { everyMs, hurriedMs } = this.#times
    return this.#lastCommitMs + (this.#isHurried ? hurriedMs : everyMs) - this.#clock.monotonicMs()
  }
}
