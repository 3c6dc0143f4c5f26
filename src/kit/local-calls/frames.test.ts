import { expect, it } from 'vitest'
import { FrameReader, MAX_CALL_FRAME_BYTES, writeCallFrame } from './frames.ts'

const values = [
  { id: 1, at: new Date(5), map: new Map([['a', 1]]) },
  'Grüße',
  undefined,
  Buffer.from([0, 255]),
] as const
const bytes = Buffer.concat(values.map(writeCallFrame))
/** Buffers come back as other views of the same bytes. */
const plain = (read: readonly unknown[]) =>
  read.map((value) => (value instanceof Uint8Array ? Buffer.from(value) : value))

it('frames split in two at any byte come out whole and in order', () => {
  for (let at = 0; at <= bytes.length; at += 1) {
    const reader = new FrameReader()
    const read = [...reader.push(bytes.subarray(0, at)), ...reader.push(bytes.subarray(at))]
    expect(plain(read)).toEqual(values)
  }
})

it('frames received byte by byte come out as soon as each is complete', () => {
  const reader = new FrameReader()
  const readAfter = Array.from(bytes, (_, index) => reader.push(bytes.subarray(index, index + 1)))
  expect(plain(readAfter.flat())).toEqual(values)
  let end = 0
  for (const value of values) {
    end += writeCallFrame(value).length
    expect(readAfter[end - 1]).toHaveLength(1)
  }
})

it('a length above the frame limit is refused before the frame arrives', () => {
  const length = Buffer.alloc(4)
  length.writeUInt32LE(MAX_CALL_FRAME_BYTES + 1)
  expect(() => new FrameReader().push(length)).toThrow(`it has ${MAX_CALL_FRAME_BYTES + 1} bytes`)
})
