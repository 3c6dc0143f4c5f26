import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { Edit } from '../wire-format.ts'
import { fieldValue, spliceBody } from './scan-body.ts'

const LARGE_BYTES = 100_000

/** A body cut into chunks, and edits of it that do not overlap, in any order. */
const scene = fc
  .tuple(
    fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 6 }),
    fc.array(fc.tuple(fc.nat(200), fc.string({ unit: 'grapheme', maxLength: 12 })), { maxLength: 4 }),
    fc.boolean(),
  )
  .map(([chunks, places, isLarge]) => {
    const body = chunks.map((chunk) => Buffer.from(chunk))
    if (isLarge) body.push(Buffer.alloc(LARGE_BYTES, 'x'))
    const bytes = Buffer.concat(body)
    const marks = places.map(([at]) => at % bytes.length).sort((left, right) => left - right)
    const edits: Edit[] = []
    for (const [index, start] of marks.entries()) {
      const text = places[index]?.[1] ?? ''
      edits.push({ start, end: Math.min(marks[index + 1] ?? bytes.length, start + 3), text })
    }
    return { body, bytes, edits }
  })

it('an edit puts each text in its position and leaves every other byte, for any chunks and any order of edits', () => {
  fc.assert(
    fc.property(scene, fc.boolean(), ({ body, bytes, edits }, isTurned) => {
      const parts: Buffer[] = []
      let at = 0
      for (const { start, end, text } of edits) {
        parts.push(bytes.subarray(at, start), Buffer.from(text))
        at = end
      }
      const expected = Buffer.concat([...parts, bytes.subarray(at)])
      const distinct = new Set(edits.map(({ start }) => start)).size === edits.length
      const given = isTurned && distinct ? edits.toReversed() : edits
      expect(Buffer.concat(spliceBody(BodyBytes.from(body), given)).equals(expected)).toBe(true)
    }),
    { numRuns: 500 },
  )
})

it('an edit copies nothing of a large body', () => {
  const chunk = Buffer.alloc(LARGE_BYTES, 'x')
  const parts = spliceBody(BodyBytes.from([chunk]), [{ start: 10, end: 12, text: 'é' }])
  expect(parts.map(({ length }) => length)).toEqual([10, 2, LARGE_BYTES - 12])
  expect(parts[0]?.buffer).toBe(chunk.buffer)
})

/** A body of one member's value in two chunks, and the span of that value. */
function fieldOf(text: string, cut: number) {
  const bytes = Buffer.from(text)
  const chunks = [bytes.subarray(0, cut % bytes.length), bytes.subarray(cut % bytes.length)]
  const body = BodyBytes.from(chunks.filter((chunk) => chunk.length > 0))
  return { body, field: { name: 'n', nameStart: 0, valueStart: 0, valueEnd: bytes.length, texts: 0 } }
}

it('reads the value of a field as JSON does, whatever its length and its chunks', () => {
  const numbers = fc.oneof(
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.maxSafeInteger(),
  )
  const values = fc.oneof(
    numbers,
    fc.string({ unit: 'binary' }),
    fc.boolean(),
    fc.constant(null),
    fc.array(fc.nat()),
  )
  fc.assert(
    fc.property(values, fc.nat(), (value, cut) => {
      const text = JSON.stringify(value)
      const { body, field } = fieldOf(text, cut)
      expect(fieldValue(body, field)).toEqual(JSON.parse(text))
    }),
    { numRuns: 1_000 },
  )
})

it.each(['01', '00', '1a', '', '-', '1-'])('refuses %j as the value of a field', (text) => {
  const { body, field } = fieldOf(text === '' ? ' ' : text, 1)
  const empty = { ...field, valueEnd: text.length }
  expect(() => fieldValue(body, empty)).toThrow('is not valid JSON')
})
