/**
 * Finds the connections that did not reach this process. Node drops a message whose connection cannot be opened here,
 * for lack of file descriptors (lib/internal/child_process.js of Node 24, seen 2026-11-29). Messages arrive in order.
 */
export class ArrivedConnections {
  #last = 0

  /** Returns the numbers of the connections before this one that did not arrive. */
  arrived(number: number): readonly number[] {
    const missed = this.missedUpTo(number - 1)
    this.#last = number
    return missed
  }

  /** Returns the numbers of the connections up to this one that did not arrive, each number once. */
  missedUpTo(sent: number): readonly number[] {
    const first = this.#last + 1
    this.#last = Math.max(this.#last, sent)
    return Array.from({ length: this.#last - first + 1 }, (_, index) => first + index)
  }
}
