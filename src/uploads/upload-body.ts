import { Readable } from 'node:stream'
import type { BodyFile, BodyPiece } from '../canonical/uploads/uploaded-form.ts'

/** A body that is sent in pieces. Each piece is read when there is room for it. Every attempt opens the body again. */
export interface UploadBody {
  readonly length: number
  open(): Readable
}

/** An upload that can no longer be read, such as one whose request is over. */
class UploadUnreadableError extends Error {
  override readonly name = 'UploadUnreadableError'
}

/** The number of bytes read from a file at a time. A multiple of three, so that base64 has no padding inside. */
const READ_BYTES = 48 * 1024

export function createUploadBody(pieces: readonly BodyPiece[]): UploadBody {
  const length = pieces.reduce((sum, piece) => sum + lengthOf(piece), 0)
  return { length, open: () => new PiecesReadable(pieces) }
}

function lengthOf(piece: BodyPiece): number {
  if (!('content' in piece)) return piece.length
  const { content, encoding } = piece
  return encoding === 'raw' ? content.length : 4 * Math.ceil(content.length / 3)
}

class PiecesReadable extends Readable {
  readonly #pieces: readonly BodyPiece[]
  #index = 0
  /** The current position in the file. */
  #position = 0

  constructor(pieces: readonly BodyPiece[]) {
    super({ highWaterMark: READ_BYTES })
    this.#pieces = pieces
  }

  override _read(): void {
    const piece = this.#pieces[this.#index]
    if (piece === undefined) {
      this.push(null)
    } else if (!('content' in piece)) {
      this.#index += 1
      if (piece.length === 0) this._read()
      else this.push(piece)
    } else {
      this.#readFile(piece)
    }
  }

  #readFile({ content, encoding }: BodyFile): void {
    if (this.#position >= content.length) {
      this.#index += 1
      this.#position = 0
      this._read()
      return
    }
    const bytes = content.read(this.#position, READ_BYTES)
    if (bytes instanceof Promise) {
      bytes.then(
        (read) => this.#give(read, encoding),
        (cause: unknown) =>
          this.destroy(new UploadUnreadableError('an uploaded file cannot be read', { cause })),
      )
    } else {
      this.#give(bytes, encoding)
    }
  }

  #give(bytes: Buffer, encoding: BodyFile['encoding']): void {
    if (this.destroyed) return
    if (bytes.length === 0) {
      this.destroy(new UploadUnreadableError('an uploaded file is shorter than it was'))
      return
    }
    this.#position += bytes.length
    this.push(encoding === 'raw' ? bytes : Buffer.from(bytes.toString('base64'), 'latin1'))
  }
}
