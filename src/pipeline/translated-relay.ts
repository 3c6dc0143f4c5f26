import { createFailure, type Failure } from '../canonical/failure.ts'
import { isContent, type ReplyEvent } from '../canonical/reply-event.ts'
import type { Usage } from '../canonical/usage.ts'
import { createSseParser } from '../kit/sse-parser.ts'
import type { StreamReader, StreamWriter } from '../wire/wire-format.ts'
import { MAX_FRAME_BYTES, type StreamRelay } from './stream-relay.ts'

export interface RelayParts {
  readonly reader: StreamReader
  readonly writer: StreamWriter
  /** When the answer was made, where the upstream's format does not say it. */
  readonly createdAtSeconds: number
}

/** Reads an upstream's frames into events and writes them in the caller's format. */
export function createTranslatedRelay({ reader, writer, createdAtSeconds }: RelayParts): StreamRelay {
  const parser = createSseParser()
  const sight = createEventSight(writer, createdAtSeconds)

  return {
    get hasContent() {
      return sight.hasContent
    },
    get isComplete() {
      return sight.isComplete
    },
    get failure() {
      return sight.failure
    },
    get usage() {
      return sight.usage
    },
    get losses() {
      return writer.losses
    },
    push(chunk) {
      if (sight.isOver) return ''
      let output = ''
      for (const frame of parser.push(chunk)) {
        if (frame.data === undefined) continue
        output += sight.write(reader.push(frame))
        if (sight.isOver) return output
      }
      if (parser.pendingBytes > MAX_FRAME_BYTES) {
        sight.fail(
          createFailure('upstream_bad_response', {
            message: 'The model provider sent one event that is larger than this gateway takes.',
          }),
        )
      }
      return output
    },
    end() {
      if (sight.isOver) return ''
      const rest = parser.end()
      let output = ''
      if (rest?.data !== undefined) {
        const events = reader.push(rest)
        const last = events.at(-1)
        const wasCut = last?.type === 'failure' && last.failure.code === 'upstream_bad_response'
        if (wasCut) sight.fail(createFailure('upstream_disconnected'))
        else output += sight.write(events)
      }
      if (!sight.isOver) output += sight.write(reader.end())
      return output
    },
  }
}

/** Writes events and keeps what the relay must know of them. */
function createEventSight(writer: StreamWriter, createdAtSeconds: number) {
  let hasContent = false
  let isComplete = false
  let failure: Failure | undefined
  let usage: Usage | undefined
  return {
    get hasContent() {
      return hasContent
    },
    get isComplete() {
      return isComplete
    },
    get isOver() {
      return isComplete || failure !== undefined
    },
    get failure() {
      return failure
    },
    get usage() {
      return usage
    },
    fail(reason: Failure) {
      failure = reason
    },
    write(events: readonly ReplyEvent[]): string {
      let output = ''
      for (const event of events) {
        if (event.type === 'failure') {
          failure = event.failure
          return output
        }
        if (event.type === 'usage') usage = event.usage
        if (event.type === 'reply-end') isComplete = true
        if (!hasContent && isContent(event)) hasContent = true
        output += writer.push(event.type === 'reply-start' ? { createdAtSeconds, ...event } : event)
      }
      return output
    },
  }
}
