import { expect, it } from 'vitest'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { throwFault } from '../../../test/support/throw-fault.ts'
import { chatFormat } from '../../wire/chat/format.ts'
import { createDeadlineWatch } from './deadline-watch.ts'
import type { ResponseSink } from './response-sink.ts'
import { createResponseWriter } from './response-writer.ts'

it('counts the bytes of a stream, of which a character may have several', () => {
  const clock = createFakeClock()
  const ignore = () => undefined
  const sink: ResponseSink = {
    start: ignore,
    write: () => true,
    end: ignore,
    cut: ignore,
    onDrain: ignore,
    onGone: ignore,
    onStop: ignore,
  }
  const watch = createDeadlineWatch(clock, throwFault)
  const writer = createResponseWriter({
    sink,
    format: chatFormat,
    requestId: 'r',
    clock,
    watch,
    heartbeat: undefined,
    onFault: throwFault,
  })
  writer.writeStream('日本', {})
  writer.writeStream(Buffer.from('日本'), {})
  expect(writer.bytesSent).toBe(12)
})
