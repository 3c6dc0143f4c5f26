import { deserialize, serialize } from 'node:v8'
import { InvariantError } from '../errors/invariant-error.ts'

/** The size limit of one frame. No answer and no row of a store is nearly as large. */
export const MAX_CALL_FRAME_BYTES = 256 * 1024 ** 2
const LENGTH_BYTES = 4

/** Writes a value as a frame: its length in four bytes, then the value as `v8.serialize` writes it. */
export function writeCallFrame(value: unknown): Buffer {
  const body = serialize(value)
  if (body.length > MAX_CALL_FRAME_BYTES)
    throw new InvariantError(`a frame of ${body.length} bytes is too large`)
  const frame = Buffer.allocUnsafe(LENGTH_BYTES + body.length)
  frame.writeUInt32LE(body.length)
  body.copy(frame, LENGTH_BYTES)
  return frame
}

/**
 * Splits a byte stream into frames, wherever its chunks are cut. The type of the values is not checked: the peer is a
 * process of the same version, and only the same user may open the socket.
 */
export class FrameReader<Received> {
  #chunks: Buffer[] = []
  #bytes = 0

  /** The values of the frames that this chunk completes. Throws where a length is not valid. */
  push(chunk: Buffer): readonly Received[] {
    const values: Received[] = []
    this.#chunks.push(chunk)
    this.#bytes += chunk.length
    for (let length = this.#nextLength(); length !== undefined; length = this.#nextLength()) {
      const frame = this.#withdraw(LENGTH_BYTES + length)
      values.push(deserialize(frame.subarray(LENGTH_BYTES)))
    }
    return values
  }

  /** The length of the next frame. Undefined until the whole frame has arrived. */
  #nextLength(): number | undefined {
    if (this.#bytes < LENGTH_BYTES) return undefined
    const first = this.#join(LENGTH_BYTES)
    const length = first.readUInt32LE()
    if (length > MAX_CALL_FRAME_BYTES) throw new InvariantError(`a frame says that it has ${length} bytes`)
    return this.#bytes >= LENGTH_BYTES + length ? length : undefined
  }

  #withdraw(bytes: number): Buffer {
    const joined = this.#join(bytes)
    const rest = joined.subarray(bytes)
    this.#chunks[0] = rest
    if (rest.length === 0) this.#chunks.shift()
    this.#bytes -= bytes
    return joined.subarray(0, bytes)
  }

  /** The first chunk. Joins all chunks first where it has fewer than `bytes` bytes. */
  #join(bytes: number): Buffer {
    const [first] = this.#chunks
    if (first !== undefined && first.length >= bytes) return first
    const joined = Buffer.concat(this.#chunks)
    this.#chunks = [joined]
    return joined
  }
}
