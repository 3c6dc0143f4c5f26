import pino from 'pino'
import type { Clock } from '../kit/clock.ts'
import type { LogDestination } from './request-log.ts'

export interface LogOutput extends LogDestination {
  /** Writes what is held back, and waits for it. */
  close(): void
}

/**
 * Lines are handed on together, when there are so many or so much time has passed: measuring and writing each line by
 * itself costs more than all else of the log.
 */
const MOST_LINES = 64
const FLUSH_EVERY_MS = 250

/** Standard output, without ever waiting for the reader of the log. */
export function openLogOutput(clock: Clock): LogOutput {
  const output = pino.destination({ dest: 1, sync: false })
  let lines: string[] = []
  let isTimed = false

  function flush() {
    isTimed = false
    if (lines.length === 0) return
    output.write(lines.join(''))
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
      output.flushSync()
    },
  }
}
