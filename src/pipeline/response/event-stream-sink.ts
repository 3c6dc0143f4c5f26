import { EVENT_STREAM_TYPE, encodeEventStreamFrame } from '../../kit/sse/event-stream-encoder.ts'
import { createSseParser } from '../../kit/sse/sse-parser.ts'
import type { ResponseSink } from './response-sink.ts'

/**
 * Writes named server-sent events as messages in AWS's encoding, each as soon as it arrives. Other answers pass
 * unchanged.
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
