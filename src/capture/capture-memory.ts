/** The memory that all captures in progress or waiting share. A body that does not fit is not captured. */
export class CaptureMemory {
  readonly #maxBytes: number
  held = 0

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes
  }

  /** Reserves bytes; false where there is no room. */
  hold(bytes: number): boolean {
    if (this.held + bytes > this.#maxBytes) return false
    this.held += bytes
    return true
  }

  release(bytes: number): void {
    this.held -= bytes
  }
}
