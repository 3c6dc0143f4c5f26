import { EventStreamReader } from '../../event-stream-reader.ts'
import type { StreamReader } from '../../reply-stream.ts'
import { ReplyReader } from './reply-reader.ts'

/** Reads a streamed answer. The answer ends with `message-end`. A `[DONE]` after it is optional and ignored. */
export function createStreamReader(): StreamReader {
  return new EventStreamReader(new ReplyReader())
}
