import type { Clock, Timer } from '../../kit/time/clock.ts'
import type { LedgerPolicy } from './ledger-schema.ts'

/** The time from one commit to the next under constant load. Most models take longer to answer. */
const COMMIT_EVERY_MS = 20
/** The time between commits if an answer waits for its intent or, with `strict`, for its row. */
const HURRIED_COMMIT_MS = 2

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
  /** The time to the next commit if no answer waits for it. */
  #everyMs: number
  #lastCommitMs = Number.NEGATIVE_INFINITY
  #isHurried = false
  #isEnded = false
  #wait: Wait | undefined

  constructor(clock: Clock, durability: LedgerPolicy['durability']) {
    this.#clock = clock
    this.#everyMs = timeBetween(durability)
  }

  /** Applies to the waits that begin from now on. */
  change(durability: LedgerPolicy['durability']): void {
    this.#everyMs = timeBetween(durability)
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
    const afterMs = this.#isHurried ? HURRIED_COMMIT_MS : this.#everyMs
    return this.#lastCommitMs + afterMs - this.#clock.monotonicMs()
  }
}

function timeBetween(durability: LedgerPolicy['durability']): number {
  return durability === 'strict' ? HURRIED_COMMIT_MS : COMMIT_EVERY_MS
}
