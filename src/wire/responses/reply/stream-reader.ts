import { createFailure } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import { readErrorFrame } from '../../errors/read-error-frame.ts'
import type { StreamReader } from '../../wire-format.ts'
import { ReplyReader } from './reply-reader.ts'

const none: readonly ReplyEvent[] = []

/** Reads a streamed answer. It ends with the event that carries the whole response; any other end is a failure. */
export function createStreamReader(): StreamReader {
  return new ResponsesStreamReader()
}

class ResponsesStreamReader implements StreamReader {
  readonly #reply = new ReplyReader()
  #hasFrames = false

  push(frame: SseFrame): readonly ReplyEvent[] {
    if (this.#reply.isOver) return none
    const failure = readErrorFrame(frame)
    if (failure !== undefined) return this.#reply.fail(failure)
    const text = frame.data?.trim() ?? ''
    if (text === '' || text === '[DONE]') return none
    this.#hasFrames = true
    return this.#read(frame, text)
  }

  end(): readonly ReplyEvent[] {
    if (this.#reply.isOver) return none
    return this.#reply.fail(createFailure(this.#hasFrames ? 'upstream_disconnected' : 'upstream_empty'))
  }

  /** Some servers name the event in the frame alone. */
  #read({ event: name }: SseFrame, text: string): readonly ReplyEvent[] {
    try {
      const event = parseJson(text)
      if (!isJsonObject(event)) return this.#reply.fail(createFailure('upstream_bad_response'))
      const isNamed = event['type'] !== undefined || name === undefined || name === ''
      return this.#reply.take(isNamed ? event : { ...event, type: name })
    } catch {
      return this.#reply.fail(createFailure('upstream_bad_response'))
    }
  }
}
