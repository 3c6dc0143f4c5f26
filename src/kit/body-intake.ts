import { BodyBytes } from './body-bytes.ts'
import { ObjectScanner } from './object-scanner.ts'
import { Utf8Checker } from './utf8-checker.ts'

/** Deeper bodies are refused: no real request nests so far, and other readers of JSON break on it. */
export const MAX_BODY_DEPTH = 64

/**
 * Takes a body in and looks at each chunk when it comes, while it is still in the processor's cache: whether it is
 * UTF-8, and where the members of its outermost object lie.
 */
export class BodyIntake {
  length = 0
  readonly #chunks: Buffer[] = []
  readonly #scanner = new ObjectScanner(MAX_BODY_DEPTH)
  readonly #utf8 = new Utf8Checker()

  push(chunk: Buffer): void {
    this.length += chunk.length
    this.#chunks.push(chunk)
    this.#utf8.push(chunk)
    this.#scanner.push(chunk)
  }

  end(): BodyBytes {
    return new BodyBytes(this.#chunks, { isUtf8: this.#utf8.end(), scan: this.#scanner.end() })
  }

  /** A body that is there already. */
  static of(chunks: readonly Buffer[]): BodyBytes {
    const intake = new BodyIntake()
    for (const chunk of chunks) intake.push(chunk)
    return intake.end()
  }
}
