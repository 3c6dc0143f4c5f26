/** From here on a body must have come at the least rate. */
const GRACE_MS = 10_000
/** In each of these the least rate must be kept, so that what came fast at first earns no endless patience. */
const WINDOW_MS = 60_000
const LEAST_BYTES_PER_MS = 1_024 / 1_000

/** Judges how fast a body comes: slow links may take their time, and nobody may hold memory by sending next to nothing. */
export class BodyPace {
  readonly #startedAtMs: number
  #windowStartMs: number
  #windowStartBytes = 0

  /** Times are of `Clock.monotonicMs`. */
  constructor(startedAtMs: number) {
    this.#startedAtMs = startedAtMs
    this.#windowStartMs = startedAtMs
  }

  /** Whether a body of which so much has come may go on. */
  keepsUp(nowMs: number, bytes: number): boolean {
    const sinceStartMs = nowMs - this.#startedAtMs
    if (sinceStartMs > GRACE_MS && bytes < sinceStartMs * LEAST_BYTES_PER_MS) return false
    if (nowMs - this.#windowStartMs < WINDOW_MS) return true
    const keepsUp = bytes - this.#windowStartBytes >= (nowMs - this.#windowStartMs) * LEAST_BYTES_PER_MS
    this.#windowStartMs = nowMs
    this.#windowStartBytes = bytes
    return keepsUp
  }
}
