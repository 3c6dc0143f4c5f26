import type { DeadBuffers } from '../../kit/memory/dead-buffers.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'

/** The limits of answers in memory. They are read whenever room is requested, so that a change takes effect at once. */
export interface AnswerCapacity {
  /** The maximum number of bytes that all answers in progress may hold. */
  heldAnswerBytes: number
}

/** The size up to which an answer may use the room that is reserved for small answers. */
const SMALL_ANSWER_BYTES = 64 * 1024

/** The share of the room that is reserved for small answers. */
const SMALL_PART = 1 / 8

/** The room that one answer in progress holds. */
export interface AnswerHold {
  /** Returns false if there is no room for so many bytes. The hold then does not change. */
  resize(bytes: number): boolean
  /** Releases all bytes. A second call releases nothing more. */
  release(): void
}

/**
 * The bytes of all upstream answers that this process holds. Whole answers are held until they are sent. A stream holds
 * its incomplete events, and what the translation needs at its end. Large answers leave a share to small ones.
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
        // An answer that is the only one may use all of the room.
        if (bytes > held && others > 0 && others + bytes > maxBytes) return false
        if (bytes > held && bytes > this.#capacity.heldAnswerBytes) return false
        this.heldBytes = others + bytes
        held = bytes
        return true
      },
      release: () => {
        this.heldBytes -= held
        // A large answer is joined into a second buffer of the same size.
        if (held > SMALL_ANSWER_BYTES) this.#deadBuffers?.add(held)
        held = 0
      },
    }
  }
}

/**
 * The time that the large answers and bodies of all connections may use in one turn of the event loop. The last step of
 * a turn begins before this time has passed, and may end after it.
 */
export const TURN_MS = 15

type Work = () => void

/** Work for a later turn; undefined once it has begun or was canceled. */
interface WaitingWork {
  work: Work | undefined
}

/**
 * Limits the time that all answers use in one turn of the event loop, however much data their sockets bring. After
 * that, an answer waits for the next turn. Answers wait in the order in which they asked, and each continues once a
 * turn.
 */
export class AnswerTurns {
  readonly #clock: Clock
  /**
   * The waiting work in the order of the requests for it. A Set would retain the requests of work that is over
   * (decision 0026).
   */
  #waiting: WaitingWork[] = []
  /** The number of entries at the front whose work has begun. */
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

  /** Does the work in a later turn and returns a promise of its result. */
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
    // Work that is added during this turn begins in the next turn.
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
