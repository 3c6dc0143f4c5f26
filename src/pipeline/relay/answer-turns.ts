import type { Clock, Timer } from '../../kit/time/clock.ts'

/** How long the large answers of all connections may take in one turn of the event loop. */
const TURN_MS = 20

type Work = () => void

/**
 * One reading of the sockets can bring 2 MB for each of many answers. What all of them take in one turn of the event
 * loop is bounded here: beyond, an answer waits for the next turn, in the order of asking, and each goes on once a turn.
 */
export class AnswerTurns {
  readonly #clock: Clock
  #waiting = new Set<Work>()
  #usedMs = 0
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether this turn has time left and nobody waits for it. */
  get isFree(): boolean {
    return this.#usedMs < TURN_MS && this.#waiting.size === 0
  }

  /** Does the work at once, as part of this turn. */
  run<Value>(work: () => Value): Value {
    const startedAtMs = this.#clock.monotonicMs()
    this.#schedule()
    try {
      return work()
    } finally {
      this.#usedMs += this.#clock.monotonicMs() - startedAtMs
    }
  }

  /** Does the work in a later turn. */
  wait(work: Work): Pick<Timer, 'cancel'> {
    this.#waiting.add(work)
    this.#schedule()
    return { cancel: () => void this.#waiting.delete(work) }
  }

  /** The same for one who waits for what comes of it. */
  runLater<Value>(work: () => Value): Promise<Value> {
    return new Promise((resolve, reject) => {
      this.wait(() => {
        try {
          resolve(work())
        } catch (error) {
          reject(error)
        }
      })
    })
  }

  #schedule(): void {
    this.#timer ??= this.#clock.startTimer(0, () => this.#startTurn())
  }

  #startTurn(): void {
    this.#timer = undefined
    this.#usedMs = 0
    for (const work of [...this.#waiting]) {
      if (this.#usedMs >= TURN_MS) break
      // Cancelled by one before it.
      if (!this.#waiting.delete(work)) continue
      this.run(work)
    }
    if (this.#waiting.size > 0) this.#schedule()
  }
}
