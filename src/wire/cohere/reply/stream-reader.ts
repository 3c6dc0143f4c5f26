import { EventStreamReader } from '../../event-stream-reader.ts'
import type { StreamReader } from '../../wire-format.ts'
import { ReplyReader } from './reply-reader.ts'

/** Reads a streamed answer. It ends with `message-end`; `[DONE]` after it adds nothing, and may be missing. */
export function createStreamReader(): StreamReader {
  return new EventStreamReader(new ReplyReader())
}
