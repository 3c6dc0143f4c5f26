import { writev } from 'node:fs'
import type { OutputTarget } from '../net/open-standard-output.ts'
import { type Clock, pause, type Timer } from '../time/clock.ts'

/** The callbacks that report lines which are not written. */
export interface LineWriterReports {
  /**
   * Called when the target fails, or accepts lines slower than they arrive. Called once, until all waiting lines are
   * written.
   */
  stopped(reason: string): void
  dropped(lineCount: number): void
  /**
   * Called after `stopped` when all waiting lines are written. `missingLineCount` lines were dropped before the next
   * line.
   */
  wentOn(missingLineCount: number): void
}

export interface LineWriterOptions {
  readonly target: OutputTarget
  readonly clock: Clock
  /** The limit of bytes that wait to be written. Further lines are dropped. */
  readonly maxWaitingBytes: number
  /** Whether other processes write to the same target. */
  readonly isShared?: boolean
  readonly reports?: LineWriterReports
}

interface Piece {
  readonly bytes: Uint8Array
  readonly lineCount: number
}

/** The limit of pieces in one write. */
const MAX_PIECES = 64
/**
 * The limit of bytes that a pipe takes as a whole or not at all (PIPE_BUF in pipe(7), seen 2026-11-29). A larger write
 * to a pipe that is nearly full ends within a line, and the rest follows what another process writes in between.
 */
const MAX_WHOLE_BYTES = 4_096
const LINE_END = 0x0a
/** The delay before the first retry. Each further delay is twice as long. */
const FIRST_RETRY_MS = 1
const MAX_RETRY_MS = 1_000
const LOOK_EVERY_MS = 5

/** Writes whole lines in order, one write at a time. Never throws and never blocks, whatever happens to the target. */
export class LineWriter {
  readonly #options: LineWriterOptions
  #waiting: Piece[] = []
  #waitingBytes = 0
  /** The bytes of the first piece that the target already accepted. */
  #writtenBytes = 0
  #isWriting = false
  #retryTimer: Timer | undefined
  #retryMs = FIRST_RETRY_MS
  #fault: string | undefined
  #isStopped = false
  #missingLines = 0
  #isClosed = false

  constructor(options: LineWriterOptions) {
    this.#options = options
  }

  /** Writes `text`, which consists of `lineCount` lines, each with its line end. */
  write(text: string, lineCount = 1): void {
    if (this.#isClosed) return
    const bytes = Buffer.from(text)
    if (this.#waitingBytes + bytes.length > this.#options.maxWaitingBytes) {
      this.#drop(lineCount)
      return
    }
    const pieces = this.#options.isShared === true ? splitLines(bytes) : [{ bytes, lineCount }]
    this.#waiting.push(...pieces)
    this.#waitingBytes += bytes.length
    if (!this.#isWriting && this.#retryTimer === undefined) this.#writeSome()
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Writes the waiting lines within `limitMs`. Stops at once where the target fails. */
  async close(limitMs: number): Promise<void> {
    if (this.#isClosed) return
    const { clock, reports } = this.#options
    const giveUpAtMs = clock.monotonicMs() + limitMs
    this.#fault = undefined
    while (this.#waiting.length > 0 && this.#fault === undefined && clock.monotonicMs() < giveUpAtMs) {
      this.#retryTimer?.cancel()
      this.#retryTimer = undefined
      if (!this.#isWriting) this.#writeSome()
      await pause(LOOK_EVERY_MS)
    }
    this.#isClosed = true
    this.#retryTimer?.cancel()
    const lost = this.#waiting.reduce((sum, { lineCount }) => sum + lineCount, 0)
    if (lost > 0) reports?.dropped(lost)
    this.#waiting = []
    this.#waitingBytes = 0
    if (!this.#isWriting) this.#options.target.close()
  }

  #writeSome(): void {
    const count = this.#options.isShared === true ? 1 : MAX_PIECES
    const pieces = this.#waiting.slice(0, count).map(({ bytes }) => bytes)
    const [first] = pieces
    if (first === undefined) return
    pieces[0] = first.subarray(this.#writtenBytes)
    this.#isWriting = true
    writev(this.#options.target.fd, pieces, null, (error, writtenBytes) => {
      this.#isWriting = false
      if (this.#isClosed) this.#options.target.close()
      else if (error === null && writtenBytes > 0) this.#goOn(writtenBytes)
      else this.#tryLater(error)
    })
  }

  #goOn(writtenBytes: number): void {
    this.#fault = undefined
    this.#retryMs = FIRST_RETRY_MS
    this.#writtenBytes += writtenBytes
    for (let first = this.#waiting[0]; first !== undefined; first = this.#waiting[0]) {
      if (this.#writtenBytes < first.bytes.length) break
      this.#waiting.shift()
      this.#waitingBytes -= first.bytes.length
      this.#writtenBytes -= first.bytes.length
    }
    if (this.#waiting.length === 0 && this.#isStopped) {
      const missing = this.#missingLines
      this.#isStopped = false
      this.#missingLines = 0
      this.#options.reports?.wentOn(missing)
    }
    if (!this.#isWriting) this.#writeSome()
  }

  /**
   * Keeps the waiting bytes, including the rest of a partly written line, so that a reader later finds whole lines
   * only.
   */
  #tryLater(error: NodeJS.ErrnoException | null): void {
    const isFull = error === null || error.code === 'EAGAIN'
    if (!isFull) {
      this.#fault = error.message
      this.#stop(error.message)
    }
    this.#retryTimer = this.#options.clock.startTimer(this.#retryMs, () => {
      this.#retryTimer = undefined
      this.#writeSome()
    })
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS)
  }

  #drop(lineCount: number): void {
    this.#missingLines += lineCount
    this.#options.reports?.dropped(lineCount)
    this.#stop('its reader takes less than comes')
  }

  #stop(reason: string): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#options.reports?.stopped(reason)
  }
}

/** Splits whole lines into pieces that a pipe takes as a whole. A longer line is a piece by itself. */
function splitLines(bytes: Uint8Array): readonly Piece[] {
  const pieces: Piece[] = []
  let start = 0
  let end = 0
  let lineCount = 0
  while (end < bytes.length) {
    const lineEnd = bytes.indexOf(LINE_END, end) + 1 || bytes.length
    if (lineCount > 0 && lineEnd - start > MAX_WHOLE_BYTES) {
      pieces.push({ bytes: bytes.subarray(start, end), lineCount })
      start = end
      lineCount = 0
    }
    end = lineEnd
    lineCount += 1
  }
  if (lineCount > 0) pieces.push({ bytes: bytes.subarray(start), lineCount })
  return pieces
}
