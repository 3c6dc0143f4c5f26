/** Looked at whenever room is asked for, so that a change counts at once. */
export interface AnswerRoom {
  /** Of all answers under way. */
  heldAnswerBytes: number
}

/** Answers up to this size have room that larger ones cannot take. */
const SMALL_ANSWER_BYTES = 64 * 1024

/** So much of all room is for small answers alone. */
const SMALL_PART = 1 / 8

/** What one answer under way has of the room. */
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
  readonly #room: AnswerRoom
  heldBytes = 0

  constructor(room: AnswerRoom) {
    this.#room = room
  }

  open(): AnswerHold {
    let held = 0
    return {
      resize: (bytes) => {
        const most = this.#room.heldAnswerBytes * (bytes > SMALL_ANSWER_BYTES ? 1 - SMALL_PART : 1)
        const others = this.heldBytes - held
        // One that is alone may have all.
        if (bytes > held && others > 0 && others + bytes > most) return false
        if (bytes > held && bytes > this.#room.heldAnswerBytes) return false
        this.heldBytes = others + bytes
        held = bytes
        return true
      },
      release: () => {
        this.heldBytes -= held
        held = 0
      },
    }
  }
}
