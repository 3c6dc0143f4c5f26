import { expect, it } from 'vitest'
import { createCallerConnection } from './caller-connection.ts'
import type { ResponseSink } from './response-sink.ts'

type Event = 'onDrain' | 'onGone' | 'onStop'

/** The events of a connection, fired by hand as Node fires them: with nothing around. */
function openSink() {
  const listeners = new Map<Event, () => void>()
  const sink: ResponseSink = {
    start: () => undefined,
    write: () => true,
    end: () => undefined,
    cut: () => undefined,
    onDrain: (listener) => void listeners.set('onDrain', listener),
    onGone: (listener) => void listeners.set('onGone', listener),
    onStop: (listener) => void listeners.set('onStop', listener),
  }
  return { sink, fire: (event: Event) => listeners.get(event)?.() }
}

it.each(['onDrain', 'onGone', 'onStop'] as const)(
  'an error thrown by the listener %s reaches the request, not Node',
  (event) => {
    const { sink, fire } = openSink()
    const faults: unknown[] = []
    const link = createCallerConnection(sink, (error) => faults.push(error))
    const fault = new Error('planted')
    const listeners = { onDrain: () => undefined, onGone: () => undefined, onStop: () => undefined }
    link.listen({
      ...listeners,
      [event]: () => {
        throw fault
      },
    })
    fire(event)
    expect(faults).toEqual([fault])
  },
)

it('an abandoned request ends its attempt once', () => {
  const { sink, fire } = openSink()
  const link = createCallerConnection(sink, (error) => {
    throw error
  })
  let ends = 0
  link.listen({
    onDrain: () => undefined,
    onGone: () => {
      ends += 1
    },
    onStop: () => undefined,
  })
  link.abandon()
  fire('onGone')
  expect(ends).toBe(1)
})
