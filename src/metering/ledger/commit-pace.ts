import type { Clock, Timer } from '../../kit/time/clock.ts'

/** The least times from the beginning of one commit to the beginning of the next. */
export interface CommitTimes {
  readonly everyMs: number
  /** The time where an answer waits for the commit. */
  readonly hurriedMs: number
}

/** One wait for the next commit. */
interface Wait {
  timer: Timer
  readonly resolve: () => void
}

/**
 * The least time from the beginning of one commit to the beginning of the next: each commit costs two wake-ups of
 * threads and an fsync, whatever it holds. A commit that comes alone does not wait.
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

  /** Lets the next commit begin earlier: an answer waits for it. */
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

  /** Lets the next commit begin at once. */
  reset(): void {
    this.#lastCommitMs = Number.NEGATIVE_INFINITY
  }

  /** Ends the wait that is under way; no commit waits from now on. */
  end(): void {
    this.#isEnded = true
    this.#wait?.timer.cancel()
    this.#wait?.resolve()
  }

  /** Undefined where the next commit may begin now. */
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
