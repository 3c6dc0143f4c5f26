import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { throwFault } from '../../../test/support/throw-fault.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { createDeadlineWatch } from './deadline-watch.ts'
import type { ResponseSink } from './response-sink.ts'
import { createResponseWriter, type ResponseWriterOptions } from './response-writer.ts'

const ignore = () => undefined

function openWriter(options: Partial<ResponseWriterOptions> = {}, start: ResponseSink['start'] = ignore) {
  const clock = options.clock ?? createFakeClock()
  const sink: ResponseSink = {
    start,
    write: () => true,
    end: ignore,
    cut: ignore,
    onDrain: ignore,
    onGone: ignore,
    onStop: ignore,
  }
  return createResponseWriter({
    sink,
    format: chatFormat,
    requestId: 'r',
    clock,
    watch: createDeadlineWatch(clock, throwFault),
    heartbeat: undefined,
    onFault: throwFault,
    ...options,
  })
}

it('counts the bytes of a stream, of which a character may have several', () => {
  const writer = openWriter()
  writer.writeStream('日本', {})
  writer.writeStream(Buffer.from('日本'), {})
  expect(writer.bytesSent).toBe(12)
})

/** Begins a stream after the preparation of a head, and returns the headers that were sent. */
function headOf(prepared: Headers, written: Headers): Headers {
  let sent: Headers = {}
  const writer = openWriter({}, (_, headers) => {
    sent = headers
  })
  writer.prepareHead(prepared)
  writer.writeStream('x', written)
  return sent
}

type Headers = Readonly<Record<string, string>>

it('sends a prepared head only with the headers for which it was prepared', () => {
  const headers = { 'x-headgate-attempts': '1' }
  expect(headOf(headers, headers)).toMatchObject({ ...headers, 'x-request-id': 'r' })
  const later = headOf(headers, { 'x-headgate-model': 'm' })
  expect(later).toMatchObject({ 'x-headgate-model': 'm', 'x-request-id': 'r' })
  expect(later).not.toHaveProperty('x-headgate-attempts')
})

it('does not send a prepared head whose rate limits are too old', () => {
  const clock = createFakeClock()
  let remaining = 10
  const headers = {}
  const readLimits = () => [{ kind: 'requests', limit: 10, remaining, resetMs: 500 } as const]
  let sent: Headers = {}
  const writer = openWriter({ clock, readLimits }, (_, head) => {
    sent = head
  })
  writer.prepareHead(headers)
  remaining = 4
  clock.advance(101)
  writer.writeStream('x', headers)
  expect(sent).toMatchObject({ 'x-ratelimit-remaining-requests': '4', 'cache-control': 'no-cache' })
})
