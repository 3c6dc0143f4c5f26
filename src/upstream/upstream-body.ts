import { Readable } from 'node:stream'

/** The body of a call to a provider. */
export type UpstreamBody =
  /** Parts in memory, in order. Empty where there is no body. */
  | { readonly type: 'bytes'; readonly parts: readonly Buffer[] }
  /** An upload that is opened again each time that it is sent. */
  | { readonly type: 'upload'; readonly upload: UploadSource }

export interface UploadSource {
  /** The length in bytes. Undefined where it is unknown. */
  readonly length?: number
  open(): Readable
}

export const emptyBody: UpstreamBody = { type: 'bytes', parts: [] }

export function jsonBody(value: unknown): UpstreamBody {
  return { type: 'bytes', parts: [Buffer.from(JSON.stringify(value), 'utf8')] }
}

const noParts: readonly Buffer[] = []

/** The parts of a body that are in memory. Empty for an upload. */
export function heldParts(body: UpstreamBody): readonly Buffer[] {
  return body.type === 'bytes' ? body.parts : noParts
}

const MAX_JOINED_BYTES = 65_536

/**
 * Opens parts in memory to be sent: a small body as one buffer, and a large body as a stream of its parts, without a
 * second copy. Null where there is no body.
 */
export function openParts(parts: readonly Buffer[]): Buffer | PartsReadable | null {
  const [first] = parts
  if (first === undefined) return null
  if (parts.length === 1) return first
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  return bytes <= MAX_JOINED_BYTES ? Buffer.concat(parts, bytes) : new PartsReadable(parts)
}

/** The minimum size of a write. Each write is a system call, so smaller parts are joined with the parts after them. */
const MIN_WRITE_BYTES = 16_384

/**
 * Streams the parts of a body in order. It makes no promise for each part, and copies no more than one write at a
 * time.
 */
export class PartsReadable extends Readable {
  /** The parts that are still to be sent, last part first. A sent part is released at once. */
  readonly #parts: Buffer[]

  constructor(parts: readonly Buffer[]) {
    super()
    this.#parts = parts.toReversed()
  }

  /** Adds the content length, because a stream does not state its length. */
  announce(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
    const bytes = this.#parts.reduce((sum, part) => sum + part.length, 0)
    return { ...headers, 'content-length': String(bytes) }
  }

  override _read(): void {
    const run: Buffer[] = []
    let bytes = 0
    for (let part = this.#parts.pop(); part !== undefined; part = this.#parts.pop()) {
      run.push(part)
      bytes += part.length
      if (bytes >= MIN_WRITE_BYTES) break
    }
    const [first = null] = run
    this.push(run.length > 1 ? Buffer.concat(run, bytes) : first)
  }
}
