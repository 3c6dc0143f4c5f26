import { createFailure, type Failure } from '../canonical/failure.ts'
import type { ReplyEvent } from '../canonical/reply-event.ts'
import { isJsonObject, type JsonObject } from '../kit/json/json.ts'
import { tryParseJson } from '../kit/json/try-parse-json.ts'
import type { SseFrame } from '../kit/sse/sse-parser.ts'
import { readErrorFrame } from './errors/read-error-frame.ts'
import type { StreamReader } from './reply-stream.ts'

const none: readonly ReplyEvent[] = []

/** Reads the events of one reply. A stream that ends before the final event is reported as cut. */
interface EventReader {
  readonly isOver: boolean
  read(event: JsonObject): readonly ReplyEvent[]
  fail(failure: Failure): readonly ReplyEvent[]
}

/** Reads a stream of JSON events. Each event states its type in its data or, with some servers, only in the frame. */
export class EventStreamReader implements StreamReader {
  readonly #reply: EventReader
  #hasFrames = false

  constructor(reply: EventReader) {
    this.#reply = reply
  }

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

  #read({ event: name }: SseFrame, text: string): readonly ReplyEvent[] {
    const event = tryParseJson(text)
    if (!isJsonObject(event)) return this.#reply.fail(createFailure('upstream_bad_response'))
    const isNamed = event['type'] !== undefined || name === undefined || name === ''
    return this.#reply.read(isNamed ? event : { ...event, type: name })
  }
}
