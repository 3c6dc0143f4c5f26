import { expect, it } from 'vitest'
import { createEventStreamDecoder } from '../../kit/sse/event-stream-decoder.ts'
import { EVENT_STREAM_TYPE } from '../../kit/sse/event-stream-encoder.ts'
import { createEventStreamSink } from './event-stream-sink.ts'
import type { ResponseSink } from './response-sink.ts'

/** The bytes that come out of the sink. */
function openSink() {
  const written: Buffer[] = []
  const add = (bytes: Buffer | string) => written.push(Buffer.from(bytes))
  const inner: ResponseSink = {
    start: () => undefined,
    write: (bytes) => add(bytes) > 0,
    end: (last) => last !== undefined && add(last),
    cut: () => undefined,
    onDrain: () => undefined,
    onGone: () => undefined,
    onStop: () => undefined,
  }
  return { sink: createEventStreamSink(inner), bytes: () => Buffer.concat(written) }
}

function readMessages(bytes: Buffer) {
  const decoder = createEventStreamDecoder(4_096)
  const messages = decoder.push(bytes).map((message) => ({
    event: message.header(':event-type'),
    data: JSON.parse(Buffer.from(message.payload).toString()) as unknown,
  }))
  expect({ fault: decoder.fault, pendingBytes: decoder.pendingBytes }).toEqual({
    fault: undefined,
    pendingBytes: 0,
  })
  return messages
}

it('writes each event as a message of its own, even one that comes in two pieces', () => {
  const { sink, bytes } = openSink()
  sink.start(200, { 'content-type': EVENT_STREAM_TYPE })
  sink.write('event: messageStart\ndata: {"role":"assistant"}\n\nevent: contentBlock')
  expect(readMessages(bytes())).toEqual([{ event: 'messageStart', data: { role: 'assistant' } }])
  sink.write(Buffer.from('Stop\ndata: {}\n\n'))
  sink.end('event: messageStop\ndata: {"stopReason":"end_turn"}\n\n')
  expect(readMessages(bytes()).map(({ event }) => event)).toEqual([
    'messageStart',
    'contentBlockStop',
    'messageStop',
  ])
})

it('passes an answer that is not a stream unchanged', () => {
  const { sink, bytes } = openSink()
  sink.start(400, { 'content-type': 'application/json' })
  sink.end('{"message":"data: none"}')
  expect(bytes().toString()).toBe('{"message":"data: none"}')
})
