/** Joins chunks of base64, each with its own padding, into one text that decodes as a whole. */
export class Base64Joiner {
  /** The bytes (at most two) that do not fill a group of three yet. */
  #rest: Buffer = Buffer.alloc(0)

  /** Adds a chunk. Returns the base64 that can be emitted so far. */
  push(piece: string): string {
    const bytes = Buffer.concat([this.#rest, Buffer.from(piece, 'base64')])
    const whole = bytes.length - (bytes.length % 3)
    this.#rest = bytes.subarray(whole)
    return bytes.toString('base64', 0, whole)
  }

  end(): string {
    const last = this.#rest.toString('base64')
    this.#rest = Buffer.alloc(0)
    return last
  }
}
