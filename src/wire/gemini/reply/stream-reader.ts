import { createFailure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import type { StreamReader } from '../../reply-stream.ts'
import { ReplyReader } from './reply-reader.ts'

const none: readonly ReplyEvent[] = []

/**
 * Reads a streamed answer. The format has no terminator: the answer ends when the stream ends, and it is complete if a
 * finish reason arrived.
 */
export function createStreamReader(): StreamReader {
  return new GeminiStreamReader()
}

class GeminiStreamReader implements StreamReader {
  readonly #reply = new ReplyReader()

  push(frame: SseFrame): readonly ReplyEvent[] {
    if (this.#reply.isOver) return none
    const isPlain = frame.event === undefined && frame.data !== undefined
    const failure = isPlain ? undefined : readErrorFrame(frame)
    if (failure !== undefined) return this.#reply.fail(failure)
    const text = frame.data?.trim() ?? ''
    return text === '' || text === '[DONE]' ? none : this.#readChunk(text)
  }

  end(): readonly ReplyEvent[] {
    return this.#reply.end()
  }

  #readChunk(text: string): readonly ReplyEvent[] {
    const chunk = tryParseJson(text)
    if (isJsonObject(chunk)) return this.#reply.read(chunk)
    return this.#reply.fail(createFailure('upstream_bad_response'))
  }
}
