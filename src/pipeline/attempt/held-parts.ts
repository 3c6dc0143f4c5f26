import { nothing, type StreamParts } from '../relay/stream-relay.ts'

/** What came of a stream before its first content: it goes out with that, or never. */
export class HeldParts {
  #parts: StreamParts = nothing
  /** In bytes, about. */
  length = 0

  add(parts: StreamParts): void {
    this.#parts = this.#parts.length === 0 ? parts : [...this.#parts, ...parts]
    for (const part of parts) this.length += part.length
  }

  /** All of it, in front of what follows. */
  takeWith(parts: StreamParts): StreamParts {
    if (this.#parts.length === 0) return parts
    const all = [...this.#parts, ...parts]
    this.#parts = nothing
    this.length = 0
    return all
  }
}
