import { LineWriter } from '../kit/bytes/line-writer.ts'
import { openStandardOutput } from '../kit/net/open-standard-output.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { LogDestination } from './request-log.ts'

export interface LogOutput extends LogDestination {
  /** Writes what is held back, and waits for it a moment. */
  close(): Promise<void>
}

export interface LogOutputReports {
  addDropped(lineCount: number): void
  /** In the log, behind the gap. */
  warn(message: string): void
  /** Beside the log. */
  printError(line: string): void
}

/**
 * Lines are handed on together, when there are so many or so much time has passed: measuring and writing each line by
 * itself costs more than all else of the log.
 */
const MOST_LINES = 64
const FLUSH_EVERY_MS = 250
const MOST_WAITING_BYTES = 8 * 1024 ** 2
const CLOSE_LIMIT_MS = 1_000
const REPORT_EVERY_MS = 60_000

/** Standard output, without ever waiting for the reader of the log. */
export function openLogOutput(clock: Clock, reports: LogOutputReports): LogOutput {
  const writer = new LineWriter({
    target: openStandardOutput(1),
    clock,
    mostWaitingBytes: MOST_WAITING_BYTES,
    reports: createWriterReports(clock, reports),
  })
  let lines: string[] = []
  let isTimed = false

  function flush() {
    isTimed = false
    if (lines.length === 0) return
    writer.write(lines.join(''), lines.length)
    lines = []
  }

  return {
    write(line) {
      lines.push(line)
      if (lines.length >= MOST_LINES) flush()
      if (isTimed || lines.length === 0) return
      isTimed = true
      clock.startTimer(FLUSH_EVERY_MS, flush)
    },
    close() {
      flush()
      return writer.close(CLOSE_LIMIT_MS)
    },
  }
}

/** A reader that takes too little by turns is told of once a minute at most. */
function createWriterReports(clock: Clock, { addDropped, warn, printError }: LogOutputReports) {
  let sentAtMs = Number.NEGATIVE_INFINITY
  return {
    dropped: addDropped,
    stopped(reason: string) {
      const nowMs = clock.monotonicMs()
      if (nowMs - sentAtMs < REPORT_EVERY_MS) return
      sentAtMs = nowMs
      printError(
        `headgate: warning: the log on standard output is blocked: ${reason}; requests are served, and lines beyond ${MOST_WAITING_BYTES / 1024 ** 2} MB are dropped until it goes on`,
      )
    },
    wentOn(missingLineCount: number) {
      if (missingLineCount > 0) warn(`logging resumed; ${missingLineCount} lines before this one are missing`)
    },
  }
}
