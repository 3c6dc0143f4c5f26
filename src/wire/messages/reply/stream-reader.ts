import { createFailure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import type { StreamReader } from '../../reply-stream.ts'
import { ReplyReader } from './reply-reader.ts'

const none: readonly ReplyEvent[] = []

/** Reads a streamed answer. The answer ends with its last event, or when the stream ends after a stop reason. */
export function createStreamReader(): StreamReader {
  return new MessagesStreamReader()
}

class MessagesStreamReader implements StreamReader {
  readonly #reply = new ReplyReader()

  push(frame: SseFrame): readonly ReplyEvent[] {
    if (this.#reply.isOver || isSilent(frame)) return none
    const { data = '', event } = frame
    const read = tryParseJson(data)
    if (!isJsonObject(read)) return this.#reply.fail(createFailure('upstream_bad_response'))
    return this.#reply.read({ event, frame: read, data })
  }

  end(): readonly ReplyEvent[] {
    return this.#reply.end()
  }
}

/** Whether a frame is a comment, or the `[DONE]` of another format, which some servers add. */
function isSilent({ data }: SseFrame): boolean {
  return data === undefined || data === '' || data.trim() === '[DONE]'
}
