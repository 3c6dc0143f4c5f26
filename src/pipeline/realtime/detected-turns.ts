/** The turns of a caller that a provider detects, each of which is owed a response. */
export class DetectedTurns {
  /** Whether the end of a turn was detected whose sound is not committed yet. */
  #hasEnded = false
  #owesResponse = false

  ended(): void {
    this.#hasEnded = true
  }

  /** The sound of a turn became a part of the conversation; a caller may commit some itself, which asks for nothing. */
  committed(isAutomatic: boolean): void {
    if (this.#hasEnded && isAutomatic) this.#owesResponse = true
    this.#hasEnded = false
  }

  /** Whether a response is owed; it is then no longer. */
  settle(): boolean {
    const isOwed = this.#owesResponse
    this.#owesResponse = false
    return isOwed
  }
}
