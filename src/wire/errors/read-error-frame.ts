import type { Failure } from '../../canonical/failure.ts'
import type { SseFrame } from '../../kit/sse/sse-parser.ts'
import { parseOrText } from './parse-or-text.ts'
import { readStreamError } from './read-error.ts'

const FIRST_BYTE = 'e'.charCodeAt(0)
const ERROR_LINE = /^error: ?(.*)$/m

/**
 * Returns the failure in an error frame: `event: error`, or llama.cpp's own `error:` line, which is not a field of the
 * event stream format. Undefined for every other frame.
 */
export function readErrorFrame(frame: SseFrame): Failure | undefined {
  if (frame.event === 'error') return readStreamError(parseOrText(frame.data ?? ''))
  const line = findErrorLine(frame)
  return line === undefined ? undefined : readStreamError(parseOrText(line.trim()))
}

/** Whether a frame without data is llama.cpp's error, in place of a comment. */
export function isErrorLine(frame: SseFrame): boolean {
  return findErrorLine(frame) !== undefined
}

function findErrorLine({ data, bytes }: SseFrame): string | undefined {
  if (data !== undefined || bytes[0] !== FIRST_BYTE) return undefined
  return ERROR_LINE.exec(bytes.toString('utf8'))?.[1]
}
