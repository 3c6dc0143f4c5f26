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
  if (frame.data !== undefined || frame.bytes[0] !== FIRST_BYTE) return undefined
  const line = ERROR_LINE.exec(frame.bytes.toString('utf8'))?.[1]
  return line === undefined ? undefined : readStreamError(parseOrText(line.trim()))
}
