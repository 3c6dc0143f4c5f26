import { noParts, type StreamParts } from './stream-relay.ts'

/** The size from which parts are sent by themselves, because copying them costs more than a write. */
const LARGE_BYTES = 16 * 1024

/** Joins the small parts of a stream, so that they are sent in one piece. Empty parts are dropped. */
export function joinSmallParts(parts: StreamParts): StreamParts {
  const [only] = parts
  if (only === undefined) return noParts
  if (parts.length === 1) return only.length === 0 ? noParts : parts
  const joined: (Buffer | string)[] = []
  let small: (Buffer | string)[] = []
  for (const part of parts) {
    if (part.length < LARGE_BYTES) {
      small.push(part)
      continue
    }
    joined.push(joinParts(small), part)
    small = []
  }
  joined.push(joinParts(small))
  return joined.filter(({ length }) => length > 0)
}

function joinParts(parts: StreamParts): Buffer | string {
  const [only] = parts
  if (only !== undefined && parts.length === 1) return only
  if (parts.every((part) => typeof part === 'string')) return parts.join('')
  return Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)))
}

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
