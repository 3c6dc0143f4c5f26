import type { RawScan } from './raw-scan.ts'

/** What was seen of a body as it came in. */
export interface BodySight {
  readonly isUtf8: boolean
  readonly scan: RawScan
}

/** A message body as the chunks in which it came, never joined unless someone needs it whole. */
export class BodyBytes {
  readonly chunks: readonly Buffer[]
  readonly inspection: BodySight
  readonly length: number

  constructor(chunks: readonly Buffer[], inspection: BodySight) {
    this.chunks = chunks
    this.inspection = inspection
    let length = 0
    for (const chunk of chunks) length += chunk.length
    this.length = length
  }

  /** The byte at this offset; undefined beyond the end. */
  at(offset: number): number | undefined {
    let from = 0
    for (const chunk of this.chunks) {
      if (offset < from + chunk.length) return chunk[offset - from]
      from += chunk.length
    }
    return undefined
  }

  /** The bytes from `start` to before `end`, as views of the chunks they lie in. */
  slice(start: number, end: number): readonly Buffer[] {
    const parts: Buffer[] = []
    let offset = 0
    for (const chunk of this.chunks) {
      const from = Math.max(0, start - offset)
      const to = Math.min(chunk.length, end - offset)
      if (from < to) parts.push(from === 0 && to === chunk.length ? chunk : chunk.subarray(from, to))
      offset += chunk.length
      if (offset >= end) break
    }
    return parts
  }

  /** Copies the bytes from `start` to before `end` to an offset of a buffer that has room. Returns the offset after them. */
  copyTo(target: Buffer, targetOffset: number, start: number, end: number): number {
    let at = targetOffset
    let offset = 0
    for (const chunk of this.chunks) {
      if (offset >= end) break
      const from = Math.max(0, start - offset)
      const to = Math.min(chunk.length, end - offset)
      if (from < to) at += chunk.copy(target, at, from, to)
      offset += chunk.length
    }
    return at
  }

  /** The same as text; the bytes must be whole UTF-8. */
  text(start = 0, end = this.length): string {
    let offset = 0
    for (const chunk of this.chunks) {
      // Nearly every piece that is read lies in one chunk, and needs no view of its own.
      if (end <= offset + chunk.length) {
        if (start >= offset) return chunk.toString('utf8', start - offset, end - offset)
        break
      }
      offset += chunk.length
    }
    return Buffer.concat(this.slice(start, end)).toString('utf8')
  }
}
