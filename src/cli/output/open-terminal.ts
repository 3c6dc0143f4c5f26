import { LineWriter } from '../../kit/bytes/line-writer.ts'
import { openStandardOutput } from '../../kit/net/open-standard-output.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { Terminal } from '../check.ts'
import { forStream } from '../print-text.ts'

/** For a command that serves: whoever reads what it says can neither hold it up nor end it. */
export interface OpenTerminal extends Terminal {
  /** Waits a moment for what is still to be written. */
  close(): Promise<void>
}

const MOST_WAITING_BYTES = 1024 ** 2
const CLOSE_LIMIT_MS = 1_000

export function openTerminal(): OpenTerminal {
  const output = openWriter(1)
  const errors = openWriter(2)
  return {
    print: (line) => output.write(forStream(process.stdout, `${line}\n`)),
    printError: (line) => errors.write(forStream(process.stderr, `${line}\n`)),
    async close() {
      await Promise.all([output.close(CLOSE_LIMIT_MS), errors.close(CLOSE_LIMIT_MS)])
    },
  }
}

function openWriter(standard: 1 | 2): LineWriter {
  return new LineWriter({
    target: openStandardOutput(standard),
    clock: systemClock,
    mostWaitingBytes: MOST_WAITING_BYTES,
  })
}
