import { createFailure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { tryParseJson } from '../../../kit/json/try-parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import type { StreamReader } from '../../reply-stream.ts'
import { ReplyReader } from './reply-reader.ts'

const noEvents: readonly ReplyEvent[] = []

/**
 * Reads the chunks of any server of the format. An answer ends only at `[DONE]` or at the end of the stream, since some
 * servers send usage, filter results or even text after the finish reason.
 */
export function createStreamReader(): StreamReader {
  return new ChatStreamReader()
}

class ChatStreamReader implements StreamReader {
  readonly #reply = new ReplyReader()
  /** Whether any frame with a body was read. */
  #hasFrames = false

  push(frame: SseFrame): readonly ReplyEvent[] {
    if (this.#reply.isOver) return noEvents
    this.#read(frame)
    return this.#reply.drain()
  }

  /** Ends the stream. Without `[DONE]`, an answer is complete if each of its choices has a finish reason. */
  end(): readonly ReplyEvent[] {
    if (this.#reply.isOver) return noEvents
    if (this.#reply.isFinished) this.#reply.end()
    else this.#reply.fail(createFailure(this.#hasFrames ? 'upstream_disconnected' : 'upstream_empty'))
    return this.#reply.drain()
  }

  #read(frame: SseFrame): void {
    const failure = readErrorFrame(frame)
    if (failure !== undefined) {
      this.#reply.fail(failure)
      return
    }
    const text = frame.data?.trim() ?? ''
    if (text === '') return
    this.#hasFrames = true
    if (text === '[DONE]') {
      this.#reply.end()
      return
    }
    const chunk = tryParseJson(text)
    if (isJsonObject(chunk)) this.#reply.read(chunk, false)
    else this.#reply.fail(createFailure('upstream_bad_response'))
  }
}
