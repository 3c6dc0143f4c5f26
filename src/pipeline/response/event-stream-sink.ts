import { EVENT_STREAM_TYPE, encodeEventStreamFrame } from '../../kit/sse/event-stream-encoder.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import type { ResponseSink } from './response-sink.ts'

/**
 * Writes named server-sent events as the messages of AWS's encoding, each as it comes. Answers that are no stream pass.
 */
export function createEventStreamSink(sink: ResponseSink): ResponseSink {
  const parser = createSseParser()
  let isStream = false
  const encode = (bytes: Buffer | string) =>
    Buffer.concat(
      parser
        .push(typeof bytes === 'string' ? Buffer.from(bytes) : bytes)
        .filter(({ data }) => data !== undefined)
        .map(encodeEventStreamFrame),
    )
  return {
    start(status, headers) {
      isStream = headers['content-type'] === EVENT_STREAM_TYPE
      sink.start(status, headers)
    },
    write: (bytes) => sink.write(isStream ? encode(bytes) : bytes),
    end: (last) => sink.end(last === undefined || !isStream ? last : encode(last)),
    cut: () => sink.cut(),
    onDrain: (listener) => sink.onDrain(listener),
    onGone: (listener) => sink.onGone(listener),
    onStop: (listener) => sink.onStop(listener),
  }
}
