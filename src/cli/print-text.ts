import { LineWriter } from '../kit/bytes/line-writer.ts'
import { plainText } from '../kit/bytes/plain-text.ts'
import { openStandardOutput } from '../kit/net/open-standard-output.ts'
import { systemClock } from '../kit/time/clock.ts'
import type { Terminal } from './check.ts'

/** The stream to which a command prints: the process's standard output or its standard error. */
export interface TextStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Prints a text. A terminal gets nothing that it would obey: much of what commands show comes from outside. */
export function printText(stream: TextStream, text: string): void {
  stream.write(forStream(stream, text))
}

/** The text as the stream may have it. */
function forStream({ isTTY }: Pick<TextStream, 'isTTY'>, text: string): string {
  return isTTY === true ? plainText(text) : text
}

/** The terminal of a command that serves: a reader of its output can neither block it nor end it. */
interface OpenTerminal extends Terminal {
  /** Waits a moment for what is still to be written. */
  close(): Promise<void>
}

const MAX_WAITING_BYTES = 1024 ** 2
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
    maxWaitingBytes: MAX_WAITING_BYTES,
  })
}
