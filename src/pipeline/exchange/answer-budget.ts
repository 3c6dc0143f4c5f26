import type { DeadBuffers } from '../../kit/memory/dead-buffers.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'

/** The limits, read whenever room is asked for, so that a change counts at once. */
export interface AnswerCapacity {
  /** The most bytes that all answers in progress may hold. */
  heldAnswerBytes: number
}

/** Answers up to this size have room that larger ones cannot take. */
const SMALL_ANSWER_BYTES = 64 * 1024

/** The part of all room that is for small answers alone. */
const SMALL_PART = 1 / 8

/** The room that one answer in progress holds. */
export interface AnswerHold {
  /** False where there is no room for so many bytes; the hold then stays as it is. */
  resize(bytes: number): boolean
  /** Gives everything back. What is given back already stays so. */
  release(): void
}

/**
 * The bytes of all upstreams' answers that this process holds: whole answers until they are sent, and of streams the
 * events that are not whole and what translation keeps for their end. Large answers leave a part to small ones.
 */
export class AnswerBudget {
  readonly #capacity: AnswerCapacity
  readonly #deadBuffers: Pick<DeadBuffers, 'add'> | undefined
  heldBytes = 0

  constructor(capacity: AnswerCapacity, deadBuffers?: Pick<DeadBuffers, 'add'>) {
    this.#capacity = capacity
    this.#deadBuffers = deadBuffers
  }

  open(): AnswerHold {
    let held = 0
    return {
      resize: (bytes) => {
        const maxBytes = this.#capacity.heldAnswerBytes * (bytes > SMALL_ANSWER_BYTES ? 1 - SMALL_PART : 1)
        const others = this.heldBytes - held
        // An answer that is alone may have all.
        if (bytes > held && others > 0 && others + bytes > maxBytes) return false
        if (bytes > held && bytes > this.#capacity.heldAnswerBytes) return false
        this.heldBytes = others + bytes
        held = bytes
        return true
      },
      release: () => {
        this.heldBytes -= held
        // A large answer is joined, in a second buffer of the same size.
        if (held > SMALL_ANSWER_BYTES) this.#deadBuffers?.add(held)
        held = 0
      },
    }
  }
}

/**
 * The time that the large answers and bodies of all connections may take in one turn of the event loop, before the last
 * step of it begins.
 */
export const TURN_MS = 15

type Work = () => void

/** Work of a later turn; undefined once it has begun or was cancelled. */
interface WaitingWork {
  work: Work | undefined
}

/**
 * Bounds what all answers take in one turn of the event loop, however much their sockets bring: beyond, an answer waits
 * for the next turn, in the order of asking, and each goes on once a turn.
 */
export class AnswerTurns {
  readonly #clock: Clock
  /** The works in the order of asking. A Set would keep the requests of works that are over (decision 0026). */
  #waiting: WaitingWork[] = []
  /** The number of works at the front that have begun. */
  #begun = 0
  #usedMs = 0
  #timer: Timer | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Whether this turn has time left and no other answer waits for it. */
  get isFree(): boolean {
    return this.#usedMs < TURN_MS && this.#begun === this.#waiting.length
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
    const waiting: WaitingWork = { work }
    this.#waiting.push(waiting)
    this.#schedule()
    return {
      cancel: () => {
        waiting.work = undefined
      },
    }
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
    // Work that is asked for meanwhile begins in the next turn.
    const end = this.#waiting.length
    while (this.#begun < end && this.#usedMs < TURN_MS) {
      const waiting = this.#waiting[this.#begun]
      this.#begun += 1
      const work = waiting?.work
      if (waiting === undefined || work === undefined) continue
      waiting.work = undefined
      this.run(work)
    }
    this.#waiting = this.#waiting.slice(this.#begun)
    this.#begun = 0
    if (this.#waiting.length > 0) this.#schedule()
  }
}
