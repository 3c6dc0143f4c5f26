import fc from 'fast-check'
import { expect, it } from 'vitest'
import { TextOffsets } from './text-offsets.ts'

const texts = fc
  .tuple(fc.string({ unit: 'grapheme', maxLength: 40 }), fc.integer({ min: 1, max: 200 }))
  .map(([text, times]) => text.repeat(times))

it('converts a text position to a byte offset and back', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, place) => {
      const at = [...text].slice(0, place % 3_000).join('').length
      const bytes = Buffer.byteLength(text.slice(0, at))
      const offsets = new TextOffsets(text, 'bytes')
      expect([offsets.from(at), offsets.toUnits(bytes), offsets.length]).toEqual([
        bytes,
        at,
        Buffer.byteLength(text),
      ])
    }),
    { numRuns: 200 },
  )
})

it.each([1_022, 1_023, 1_024])('finds the start of a surrogate pair that begins at code unit %i', (at) => {
  const text = `${'a'.repeat(at)}𐀀${'b'.repeat(2_000)}`
  expect(new TextOffsets(text, 'bytes').toUnits(at)).toBe(at)
  expect(new TextOffsets(text, 'characters').toUnits(at)).toBe(at)
})

it('converts a text position to a character offset and back', () => {
  fc.assert(
    fc.property(texts, fc.nat(), (text, place) => {
      const before = [...text].slice(0, place % 3_000)
      const at = before.join('').length
      const offsets = new TextOffsets(text, 'characters')
      expect([offsets.from(at), offsets.toUnits(before.length)]).toEqual([before.length, at])
    }),
    { numRuns: 200 },
  )
})
