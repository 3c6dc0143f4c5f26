import { Readable } from 'node:stream'

/** Each write is a call into the system: what is smaller goes along with what follows it. */
const MIN_WRITE_BYTES = 16_384

/** Gives the parts of a body one after the other, without a promise for each, and no more copied than one write. */
export class PartsReadable extends Readable {
  readonly #parts: readonly Buffer[]
  #next = 0

  constructor(parts: readonly Buffer[]) {
    super()
    this.#parts = parts
  }

  /** With the length, which nobody else can tell of a stream. */
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
