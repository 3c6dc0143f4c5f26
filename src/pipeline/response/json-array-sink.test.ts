import { describe, expect, it } from 'vitest'
import { geminiFormat } from '../../wire/gemini/format.ts'
import { createArraySink } from './json-array-sink.ts'

function writeArray(...pieces: readonly string[]): string {
  const seen: string[] = []
  const sink = createArraySink({
    start: () => undefined,
    write: (bytes) => {
      seen.push(bytes.toString())
      return true
    },
    end: (last) => void seen.push(last?.toString() ?? ''),
    cut: () => undefined,
    onDrain: () => undefined,
    onGone: () => undefined,
    onStop: () => undefined,
  })
  sink.start(200, { 'content-type': 'text/event-stream' })
  for (const piece of pieces) sink.write(piece)
  sink.end()
  return seen.join('')
}

describe('a stream of events as a JSON array', () => {
  it('has one entry for the data of each event', () => {
    expect(JSON.parse(writeArray('data: {"a":1}\r\n\r\ndata: {"b"', ':2}\n\n: beat\n\n'))).toEqual([
      { a: 1 },
      { b: 2 },
    ])
  })

  it('is kept alive by the heartbeat of the format, which JSON allows anywhere between its entries', () => {
    const { heartbeat } = geminiFormat
    const written = writeArray(heartbeat, 'data: {"a":1}\r\n\r\n', heartbeat, 'data: {"b":2}\n\n')
    expect(written).toBe(`${heartbeat}[{"a":1}${heartbeat},\r\n{"b":2}]`)
  })

  it('leaves out the terminator and empty events', () => {
    expect(JSON.parse(writeArray('data: {"a":1}\n\ndata:\n\ndata: {"b":2}\n\n', 'data: [DONE]\n\n'))).toEqual(
      [{ a: 1 }, { b: 2 }],
    )
    expect(JSON.parse(writeArray('data: \n\ndata: {"a":1}\n\ndata: [DONE] '))).toEqual([{ a: 1 }])
    expect(JSON.parse(writeArray('data: [DONE]\n\n'))).toEqual([])
  })
})
