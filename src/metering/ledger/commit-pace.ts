import type { Clock } from '../../kit/time/clock.ts'

/**
 * The least time from the beginning of one commit to the beginning of the next: each commit costs two wake-ups of
 * threads and an fsync, whatever it holds. A commit that comes alone does not wait.
 */
export class CommitPace {
  readonly #clock: Clock
  readonly #everyMs: number
  #lastCommitMs = Number.NEGATIVE_INFINITY
  #isEnded = false
  #endWait: (() => void) | undefined

  constructor(clock: Clock, everyMs: number) {
    this.#clock = clock
    this.#everyMs = everyMs
  }

  begin(startedAtMs: number): void {
    this.#lastCommitMs = startedAtMs
  }

  /** Lets the next commit begin at once. */
  reset(): void {
    this.#lastCommitMs = Number.NEGATIVE_INFINITY
  }

  /** Ends the wait that is under way; no commit waits from now on. */
  end(): void {
    this.#isEnded = true
    this.#endWait?.()
  }

  /** Undefined where the next commit may begin now. */
  wait(): Promise<void> | undefined {
    const leftMs = this.#lastCommitMs + this.#everyMs - this.#clock.monotonicMs()
    if (leftMs <= 0 || this.#isEnded) return undefined
    return new Promise((resolve) => {
      const timer = this.#clock.startTimer(leftMs, resolve)
      this.#endWait = () => {
        timer.cancel()
        resolve()
      }
    })
  }
}
