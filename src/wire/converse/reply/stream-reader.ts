import { createFailure, GatewayError } from '../../../canonical/failure.ts'
import type { ReplyEvent } from '../../../canonical/reply-event.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import { parseJson } from '../../../kit/json/parse-json.ts'
import type { SseFrame } from '../../../kit/sse/sse-parser.ts'
import type { StreamReader } from '../../reply-stream.ts'
import { ReplyReader } from './reply-reader.ts'

const none: readonly ReplyEvent[] = []

/** Reads a streamed answer (API_runtime_ConverseStream.html, seen 2026-11-20). Each frame names its event. */
export function createStreamReader(): StreamReader {
  return new ConverseStreamReader()
}

class ConverseStreamReader implements StreamReader {
  readonly #reply = new ReplyReader()

  push({ event, data }: SseFrame): readonly ReplyEvent[] {
    if (this.#reply.isOver || data === undefined) return none
    try {
      const value = parseJson(data)
      if (isJsonObject(value)) return this.#reply.read(event, value)
      return this.#reply.fail(createFailure('upstream_bad_response'))
    } catch (cause) {
      const message =
        cause instanceof GatewayError
          ? { message: `The model provider sent an answer that could not be read: ${cause.message}` }
          : {}
      return this.#reply.fail(createFailure('upstream_bad_response', message))
    }
  }

  end(): readonly ReplyEvent[] {
    return this.#reply.end()
  }
}
