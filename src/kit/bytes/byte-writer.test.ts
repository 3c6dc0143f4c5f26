import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from './byte-writer.ts'

const part = fc.oneof(
  fc.record({ type: fc.constant('text' as const), text: fc.string({ unit: 'binary', maxLength: 200 }) }),
  fc.record({
    type: fc.constant('number' as const),
    value: fc.oneof(fc.maxSafeInteger(), fc.integer(), fc.double({ noNaN: true })),
  }),
  fc.record({
    type: fc.constant('digits' as const),
    value: fc.nat({ max: 2 ** 31 - 1 }),
    count: fc.integer({ min: 1, max: 12 }),
  }),
  fc.record({ type: fc.constant('uuid' as const), uuid: fc.uuid() }),
)

type Part = typeof part extends fc.Arbitrary<infer Value> ? Value : never

/** Writes a part; the text that it must be is the answer. */
function write(writer: ByteWriter, each: Part): string {
  switch (each.type) {
    case 'text':
      writer.text(each.text)
      return each.text.toWellFormed()
    case 'number':
      writer.number(each.value)
      return String(each.value)
    case 'digits':
      writer.digits(each.value, each.count)
      return String(each.value).padStart(each.count, '0').slice(-each.count)
    case 'uuid':
      writer.uuid(each.uuid.replaceAll('-', '').toUpperCase())
      return each.uuid
  }
}

test('everything written comes out as text, in order', () => {
  const writer = new ByteWriter()
  fc.assert(
    fc.property(fc.array(part), (parts) => {
      const expected = parts.map((each) => write(writer, each))
      expect(Buffer.from(writer.flush()).toString('utf8')).toBe(expected.join(''))
    }),
  )
})

test('only trailing zeros are trimmed, even if that removes everything written', () => {
  const writer = new ByteWriter()
  writer.number(1_000_200)
  writer.trimZeros()
  expect(Buffer.from(writer.flush()).toString()).toBe('10002')
  writer.number(0)
  writer.trimZeros()
  expect(writer.flush()).toHaveLength(0)
})

test('the buffer grows beyond a megabyte', () => {
  const writer = new ByteWriter()
  const line = Buffer.from('a line of text that is long enough for a copy in one go\n')
  for (let index = 0; index < 30_000; index += 1) writer.bytes(line)
  expect(Buffer.from(writer.flush()).equals(Buffer.alloc(line.length * 30_000, line))).toBe(true)
})
