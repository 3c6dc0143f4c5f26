import { GatewayError } from '../../canonical/failure.ts'
import type { StoredBytes } from '../../canonical/uploads/uploaded-form.ts'

/** The maximum length of a line. The bodies of requests outside of batches have their own limit. */
const MAX_LINE_BYTES = 32 * 1024 ** 2
const READ_BYTES = 64 * 1024
const LINE_FEED = 0x0a

/** Cuts bytes that arrive in chunks into lines. Lines that consist only of white space are left out. */
export class LineSplitter {
  #begun: Buffer[] = []
  #begunBytes = 0

  /** Returns the lines that end in the chunk, without their line feeds. Throws `request_too_large`. */
  push(chunk: Buffer): readonly Buffer[] {
    const lines: Buffer[] = []
    let from = 0
    for (;;) {
      const end = chunk.indexOf(LINE_FEED, from)
      if (end === -1) break
      this.#begin(chunk.subarray(from, end))
      lines.push(...this.end())
      from = end + 1
    }
    this.#begin(chunk.subarray(from))
    return lines
  }

  /** Returns the last line, which may lack a line feed. */
  end(): readonly Buffer[] {
    const line = Buffer.concat(this.#begun)
    this.#begun = []
    this.#begunBytes = 0
    return line.every((byte) => byte <= 0x20) ? [] : [line]
  }

  #begin(part: Buffer): void {
    this.#begunBytes += part.length
    if (this.#begunBytes > MAX_LINE_BYTES)
      throw new GatewayError('request_too_large', { message: 'A line of the file is longer than 32 MB.' })
    if (part.length > 0) this.#begun.push(part)
  }
}

export async function* linesOf(content: StoredBytes): AsyncGenerator<Buffer, void> {
  const splitter = new LineSplitter()
  for (let position = 0; position < content.length; ) {
    const chunk = await content.read(position, READ_BYTES)
    if (chunk.length === 0) break
    position += chunk.length
    yield* splitter.push(chunk)
  }
  yield* splitter.end()
}
