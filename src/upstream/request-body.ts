import { Readable } from 'node:stream'

/** Up to this size one copy is cheaper than several writes. */
const MAX_JOINED_BYTES = 65_536

/** A small body as one buffer; a large one as a stream of its parts, which makes no second copy. */
export function joinSmall(parts: readonly Buffer[]): Buffer | PartsReadable | null {
  const [first] = parts
  if (first === undefined) return null
  if (parts.length === 1) return first
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  return bytes <= MAX_JOINED_BYTES ? Buffer.concat(parts, bytes) : new PartsReadable(parts)
}

/** Each write is a system call, so smaller parts are joined with those that follow. */
const MIN_WRITE_BYTES = 16_384

/** Gives the parts of a body one after the other, without a promise for each, and no more copied than one write. */
export class PartsReadable extends Readable {
  readonly #parts: readonly Buffer[]
  #next = 0

  constructor(parts: readonly Buffer[]) {
    super()
    this.#parts = parts
  }

  /** Adds the length, which a stream does not have. */
  announce(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const bytes = this.#parts.reduce((sum, part) => sum + part.length, 0)
    return { ...headers, 'content-length': String(bytes) }
  }

  override _read(): void {
    const run: Buffer[] = []
    let bytes = 0
    for (let part = this.#take(); part !== undefined; part = this.#take()) {
      run.push(part)
      bytes += part.length
      if (bytes >= MIN_WRITE_BYTES) break
    }
    const [first = null] = run
    this.push(run.length > 1 ? Buffer.concat(run, bytes) : first)
  }

  #take(): Buffer | undefined {
    const part = this.#parts[this.#next]
    this.#next += 1
    return part
  }
}
