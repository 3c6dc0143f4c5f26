/** One event of a `text/event-stream`, as bytes and as text. */
export interface SseFrame {
  /** The value of the last `event:` line. Undefined where the frame has no such line. */
  readonly event: string | undefined
  /** The `data:` lines joined by line feeds. Undefined where the frame has none (a comment, for example). */
  readonly data: string | undefined
  /** The bytes of the frame, including the blank line that ends it. */
  readonly bytes: Buffer
  /**
   * The same bytes as the pieces that arrived, for a large frame. The `bytes` of a large frame are joined on first
   * use.
   */
  readonly pieces?: readonly Buffer[]
}

export interface SseParser {
  /** The frames that this chunk completes. Never throws. */
  push(chunk: Buffer): readonly SseFrame[]
  /** The rest of a stream that ends without a blank line, as one frame. Its data may be cut off. */
  end(): SseFrame | undefined
  /** The bytes that are buffered because their frame is not complete. */
  readonly pendingBytes: number
}

const LINE_FEED = 0x0a
const CARRIAGE_RETURN = 0x0d
const BYTE_ORDER_MARK = '\uFEFF'
const noFrames: readonly SseFrame[] = []
const noBytes = Buffer.alloc(0)

/**
 * Splits a byte stream into frames at blank lines. Lines may end in LF, CRLF or CR, mixed and split anywhere across
 * chunks (WHATWG HTML §9.2.6). A line feed after a frame that ended with CR belongs to the next frame's bytes.
 */
export function createSseParser(): SseParser {
  return new FrameCutter()
}

class FrameCutter implements SseParser {
  pendingBytes = 0
  #held: Buffer[] = []
  #atLineStart = true
  #frameHasText = false
  #afterCarriageReturn = false
  #isFirst = true

  push(chunk: Buffer): readonly SseFrame[] {
    let frames: SseFrame[] | undefined
    let from = 0
    let at = 0
    const hasCarriageReturn = this.#afterCarriageReturn || chunk.indexOf(CARRIAGE_RETURN) !== -1
    while (at < chunk.length) {
      const byte = chunk[at]
      if (byte !== LINE_FEED && byte !== CARRIAGE_RETURN) {
        this.#afterCarriageReturn = false
        this.#atLineStart = false
        this.#frameHasText = true
        at = endOfLine(chunk, at, hasCarriageReturn)
        continue
      }
      const completesCrlf = byte === LINE_FEED && this.#afterCarriageReturn
      this.#afterCarriageReturn = byte === CARRIAGE_RETURN
      at += 1
      if (completesCrlf) continue
      if (this.#atLineStart && this.#frameHasText) {
        at = this.#passLineFeed(chunk, at)
        frames ??= []
        frames.push(this.#readFrame(chunk, from, at))
        from = at
        this.#frameHasText = false
      }
      this.#atLineStart = true
    }
    this.#hold(chunk, from)
    return frames ?? noFrames
  }

  end(): SseFrame | undefined {
    if (this.pendingBytes === 0) return undefined
    this.#atLineStart = true
    this.#frameHasText = false
    return this.#readFrame(noBytes, 0, 0)
  }

  /** Passes the line feed of a CRLF, if it has arrived. It belongs to the frame that its carriage return ended. */
  #passLineFeed(chunk: Buffer, at: number): number {
    if (!this.#afterCarriageReturn || chunk[at] !== LINE_FEED) return at
    this.#afterCarriageReturn = false
    return at + 1
  }

  #hold(chunk: Buffer, from: number): void {
    if (from >= chunk.length) return
    const rest = from === 0 ? chunk : chunk.subarray(from)
    const before = this.#held.at(-1)
    // Adjacent slices of one read become one piece again.
    if (before !== undefined && isBehind(before, rest))
      this.#held[this.#held.length - 1] = joinNeighbours(before, rest)
    else this.#held.push(rest)
    this.pendingBytes += rest.length
  }

  #readFrame(chunk: Buffer, from: number, to: number): SseFrame {
    const last = chunk.subarray(from, to)
    const isFirst = this.#isFirst
    this.#isFirst = false
    const length = this.pendingBytes + last.length
    if (length === last.length && length <= LARGE_BYTES) return readFrame(last, isFirst)
    const pieces = this.#held
    if (last.length > 0) pieces.push(last)
    this.#held = []
    this.pendingBytes = 0
    return length > LARGE_BYTES
      ? new LargeFrame(pieces, isFirst)
      : readFrame(Buffer.concat(pieces, length), isFirst)
  }
}

/** Whether the second buffer directly follows the first in the same memory. */
function isBehind(first: Buffer, second: Buffer): boolean {
  return first.buffer === second.buffer && first.byteOffset + first.length === second.byteOffset
}

function joinNeighbours(first: Buffer, second: Buffer): Buffer {
  return Buffer.from(first.buffer, first.byteOffset, first.length + second.length)
}

/**
 * A larger frame is parsed only when its text is needed. It contains an image, and the image's reader needs a few
 * fields.
 */
const LARGE_BYTES = 512 * 1024

class LargeFrame implements SseFrame {
  readonly pieces: readonly Buffer[]
  readonly #isFirst: boolean
  #read: SseFrame | undefined

  constructor(pieces: readonly Buffer[], isFirst: boolean) {
    this.pieces = pieces
    this.#isFirst = isFirst
  }

  get bytes(): Buffer {
    return this.#frame.bytes
  }

  get event(): string | undefined {
    return this.#frame.event
  }

  get data(): string | undefined {
    return this.#frame.data
  }

  get #frame(): SseFrame {
    this.#read ??= readFrame(Buffer.concat(this.pieces), this.#isFirst)
    return this.#read
  }
}

function endOfLine(chunk: Buffer, from: number, hasCarriageReturn: boolean): number {
  const lineFeed = chunk.indexOf(LINE_FEED, from)
  const end = lineFeed === -1 ? chunk.length : lineFeed
  if (!hasCarriageReturn) return end
  const carriageReturn = chunk.indexOf(CARRIAGE_RETURN, from)
  return carriageReturn === -1 || carriageReturn > end ? end : carriageReturn
}

function readFrame(bytes: Buffer, isFirst: boolean): SseFrame {
  let text = bytes.toString('utf8')
  if (isFirst && text.startsWith(BYTE_ORDER_MARK)) text = text.slice(1)
  let event: string | undefined
  let data: string | undefined
  let from = 0
  while (from < text.length) {
    const to = endOfTextLine(text, from)
    if (text.startsWith('data', from)) {
      const value = fieldValue(text, from + 4, to)
      if (value !== undefined) data = data === undefined ? value : `${data}\n${value}`
    } else if (text.startsWith('event', from)) {
      event = fieldValue(text, from + 5, to) ?? event
    }
    from = to + 1
  }
  return { event, data, bytes }
}

function endOfTextLine(text: string, from: number): number {
  const lineFeed = text.indexOf('\n', from)
  const end = lineFeed === -1 ? text.length : lineFeed
  const carriageReturn = text.lastIndexOf('\r', end)
  if (carriageReturn < from) return end
  return text.indexOf('\r', from)
}

/** The value after a field's name, without one leading space. Undefined where the name is longer. */
function fieldValue(text: string, at: number, end: number): string | undefined {
  if (at >= end) return at === end ? '' : undefined
  if (text[at] !== ':') return undefined
  return text.slice(text[at + 1] === ' ' ? at + 2 : at + 1, end)
}
