import { EventStreamReader } from '../../event-stream-reader.ts'
import type { StreamReader } from '../../reply-stream.ts'
import { ReplyReader } from './reply-reader.ts'

/** Reads a streamed answer. It ends with the event that contains the whole response. Any other end is a failure. */
export function createStreamReader(): StreamReader {
  return new EventStreamReader(new ReplyReader())
}
