import { writev } from 'node:fs'
import type { OutputTarget } from '../net/open-standard-output.ts'
import { type Clock, pause, type Timer } from '../time/clock.ts'

/** The reports by which its owner hears of lines that do not get through. */
export interface LineWriterReports {
  /** Reports that the target fails, or takes less than comes: once, until all that waits is through again. */
  stopped(reason: string): void
  dropped(lineCount: number): void
  /** Reports after `stopped` that all that waited is through; so many lines are missing before what comes now. */
  wentOn(missingLineCount: number): void
}

export interface LineWriterOptions {
  readonly target: OutputTarget
  readonly clock: Clock
  /** The most bytes that wait to be written; further lines are dropped. */
  readonly maxWaitingBytes: number
  readonly reports?: LineWriterReports
}

interface Piece {
  readonly bytes: Uint8Array
  readonly lineCount: number
}

/** The most pieces of one write. */
const MAX_PIECES = 64
/** The time between tries, twice as long each time. */
const FIRST_RETRY_MS = 1
const MAX_RETRY_MS = 1_000
const LOOK_EVERY_MS = 5

/** Writes whole lines in order, one write at a time. Never throws and never waits, whatever becomes of the target. */
export class LineWriter {
  readonly #parts: LineWriterOptions
  #waiting: Piece[] = []
  #waitingBytes = 0
  /** The bytes of the first piece that the target already took. */
  #writtenBytes = 0
  #isWriting = false
  #retryTimer: Timer | undefined
  #retryMs = FIRST_RETRY_MS
  #fault: string | undefined
  #isStopped = false
  #missingLines = 0
  #isClosed = false

  constructor(parts: LineWriterOptions) {
    this.#parts = parts
  }

  /** `text` is so many lines with their ends. */
  write(text: string, lineCount = 1): void {
    if (this.#isClosed) return
    const bytes = Buffer.from(text)
    if (this.#waitingBytes + bytes.length > this.#parts.maxWaitingBytes) {
      this.#drop(lineCount)
      return
    }
    this.#waiting.push({ bytes, lineCount })
    this.#waitingBytes += bytes.length
    if (!this.#isWriting && this.#retryTimer === undefined) this.#writeSome()
  }

  get waitingBytes(): number {
    return this.#waitingBytes
  }

  /** Writes what waits for at most so long; gives it up at once where the target fails. */
  async close(limitMs: number): Promise<void> {
    if (this.#isClosed) return
    const { clock, reports } = this.#parts
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
    if (!this.#isWriting) this.#parts.target.close()
  }

  #writeSome(): void {
    const pieces = this.#waiting.slice(0, MAX_PIECES).map(({ bytes }) => bytes)
    const [first] = pieces
    if (first === undefined) return
    pieces[0] = first.subarray(this.#writtenBytes)
    this.#isWriting = true
    writev(this.#parts.target.fd, pieces, null, (error, writtenBytes) => {
      this.#isWriting = false
      if (this.#isClosed) this.#parts.target.close()
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
      this.#parts.reports?.wentOn(missing)
    }
    if (!this.#isWriting) this.#writeSome()
  }

  /** Keeps what waits, the rest of a line included, so that what is read later is made of whole lines. */
  #tryLater(error: NodeJS.ErrnoException | null): void {
    const isFull = error === null || error.code === 'EAGAIN'
    if (!isFull) {
      this.#fault = error.message
      this.#stop(error.message)
    }
    this.#retryTimer = this.#parts.clock.startTimer(this.#retryMs, () => {
      this.#retryTimer = undefined
      this.#writeSome()
    })
    this.#retryMs = Math.min(this.#retryMs * 2, MAX_RETRY_MS)
  }

  #drop(lineCount: number): void {
    this.#missingLines += lineCount
    this.#parts.reports?.dropped(lineCount)
    this.#stop('its reader takes less than comes')
  }

  #stop(reason: string): void {
    if (this.#isStopped) return
    this.#isStopped = true
    this.#parts.reports?.stopped(reason)
  }
}
