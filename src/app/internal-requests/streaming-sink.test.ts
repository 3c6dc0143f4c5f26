import { expect, it } from 'vitest'
import { StreamingSink } from './streaming-sink.ts'

it('applies backpressure when 64 KB wait to be read, and resumes the writer once they are read', async () => {
  const sink = new StreamingSink(new AbortController().signal)
  let drains = 0
  sink.onDrain(() => {
    drains += 1
  })
  expect(sink.write('x'.repeat(60_000))).toBe(true)
  expect(sink.write('x'.repeat(60_000))).toBe(false)
  const reader = sink[Symbol.asyncIterator]()
  await reader.next()
  await reader.next()
  expect(drains).toBe(0)
  const third = reader.next()
  expect(drains).toBe(1)
  sink.end('last')
  expect(String((await third).value)).toBe('last')
  expect((await reader.next()).done).toBe(true)
})

it('reports that the reader left when it stops reading or its signal aborts', async () => {
  const leaving = new AbortController()
  const sinks = [new StreamingSink(leaving.signal), new StreamingSink(new AbortController().signal)]
  let left = 0
  for (const sink of sinks) {
    sink.onGone(() => {
      left += 1
    })
    sink.write('first')
  }
  leaving.abort()
  expect(left).toBe(1)
  const reader = sinks[1]?.[Symbol.asyncIterator]()
  await reader?.next()
  await reader?.return(undefined)
  expect(left).toBe(2)
})
