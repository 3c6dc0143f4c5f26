import { LineWriter } from '../kit/bytes/line-writer.ts'
import { plainText } from '../kit/bytes/plain-text.ts'
import { openStandardOutput } from '../kit/net/open-standard-output.ts'
import { systemClock } from '../kit/time/clock.ts'
import type { Terminal } from './config/check.ts'

/** The output stream of a command: the process's standard output or standard error. */
export interface TextStream {
  readonly isTTY?: boolean
  write(text: string): unknown
}

/** Prints a text. Control characters are escaped for a terminal, because much of the output comes from outside. */
export function printText(stream: TextStream, text: string): void {
  stream.write(forStream(stream, text))
}

/** Escapes the text where the stream is a terminal. */
function forStream({ isTTY }: Pick<TextStream, 'isTTY'>, text: string): string {
  return isTTY === true ? plainText(text) : text
}

/** The terminal of a serving command. A reader of its output can neither block nor end the process. */
interface OpenTerminal extends Terminal {
  /** Waits briefly for unwritten output. */
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
