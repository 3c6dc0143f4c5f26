import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createSseParser } from './sse-parser.ts'

function parse(chunks: readonly (string | Buffer)[]) {
  const parser = createSseParser()
  const frames = chunks.flatMap((chunk) =>
    parser.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk),
  )
  const rest = parser.end()
  return rest === undefined ? frames : [...frames, rest]
}

const meaning = (chunks: readonly (string | Buffer)[]) =>
  parse(chunks)
    .filter(({ data }) => data !== undefined)
    .map(({ event, data }) => ({ event, data }))

describe('the SSE parser', () => {
  it('returns the event name and the data of each frame', () => {
    expect(meaning(['event: ping\ndata: {"a":1}\n\ndata: two\n\n'])).toEqual([
      { event: 'ping', data: '{"a":1}' },
      { event: undefined, data: 'two' },
    ])
  })

  it('joins several data lines with line feeds', () => {
    expect(meaning(['data: one\ndata: two\n\n'])).toEqual([{ event: undefined, data: 'one\ntwo' }])
  })

  it('removes only one space after the colon', () => {
    expect(meaning(['data:a\n\ndata:  b\n\n'])).toEqual([
      { event: undefined, data: 'a' },
      { event: undefined, data: ' b' },
    ])
  })

  it.each([
    ['LF', '\n'],
    ['CRLF', '\r\n'],
    ['CR', '\r'],
  ])('reads lines that end in %s', (_name, end) => {
    expect(meaning([`event: x${end}data: 1${end}${end}data: 2${end}${end}`])).toEqual([
      { event: 'x', data: '1' },
      { event: undefined, data: '2' },
    ])
  })

  it('returns a frame as soon as its blank line arrives, even if CRLF is split', () => {
    const parser = createSseParser()
    expect(parser.push(Buffer.from('data: 1\r\n\r')).map(({ data }) => data)).toEqual(['1'])
    expect(parser.push(Buffer.from('\ndata: 2\r\n\r\n')).map(({ data }) => data)).toEqual(['2'])
  })

  it('strips a byte order mark at the start of the stream only', () => {
    expect(meaning(['\uFEFFdata: 1\n\n', 'data: \uFEFF2\n\n'])).toEqual([
      { event: undefined, data: '1' },
      { event: undefined, data: '\uFEFF2' },
    ])
  })

  it('passes on comments as frames without data', () => {
    expect(parse([': keep-alive\n\n']).map(({ data, bytes }) => [data, bytes.toString()])).toEqual([
      [undefined, ': keep-alive\n\n'],
    ])
  })

  it('does not read a longer field name as data', () => {
    expect(meaning(['database: 1\ndata: 2\n\n'])).toEqual([{ event: undefined, data: '2' }])
  })

  it('passes on a chunk that is exactly one frame without copying it', () => {
    const chunk = Buffer.from('data: {"a":1}\n\n')
    const [frame] = createSseParser().push(chunk)
    expect(frame?.bytes.buffer).toBe(chunk.buffer)
  })

  it('keeps the chunks of a large frame, and joins slices of one read into one chunk', () => {
    const half = `data: ${'x'.repeat(400_000)}`
    const [first, second] = [Buffer.from(half), Buffer.from(`${half}\n\n`)]
    const [frame] = parse([first.subarray(0, 9), first.subarray(9), second])
    expect(frame?.pieces?.map(({ length }) => length)).toEqual([first.length, second.length])
    expect(frame?.bytes).toEqual(Buffer.concat([first, second]))
    expect(frame?.data).toBe(half.slice(6) + half)
  })

  const line = fc.oneof(
    fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => `data: ${text.replace(/[\r\n]/g, '')}`),
    fc.constantFrom('event: delta', ': comment', 'id: 7', 'retry: 10', 'data', ''),
  )
  const stream = fc
    .tuple(fc.array(line, { maxLength: 20 }), fc.constantFrom('\n', '\r\n', '\r'))
    .map(([lines, end]) => Buffer.from(lines.map((text) => text + end).join('')))

  it('returns the same frames for any chunk boundaries', () => {
    fc.assert(
      fc.property(stream, fc.array(fc.nat(400), { maxLength: 12 }), (bytes, cuts) => {
        const at = [...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b)
        const pieces = [...at, bytes.length].map((cut, index) => bytes.subarray(at[index - 1] ?? 0, cut))
        expect(meaning(pieces)).toEqual(meaning([bytes]))
        expect(Buffer.concat(parse(pieces).map((frame) => frame.bytes))).toEqual(bytes)
      }),
      { numRuns: 2_000 },
    )
  })
})
