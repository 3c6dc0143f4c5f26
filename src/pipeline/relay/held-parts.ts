import { noParts, type StreamParts } from './stream-relay.ts'

/** The parts of a stream before its first content. They are sent with the first content, or never. */
export class HeldParts {
  #parts = noParts
  bytes = 0

  add(parts: StreamParts): void {
    this.#parts = [...this.#parts, ...parts]
    for (const part of parts) this.bytes += part.length
  }

  /** Returns the held parts and these after them, and holds nothing any more. */
  flushBefore(parts: StreamParts): StreamParts {
    if (this.#parts.length === 0) return parts
    const all = [...this.#parts, ...parts]
    this.#parts = noParts
    this.bytes = 0
    return all
  }
}
