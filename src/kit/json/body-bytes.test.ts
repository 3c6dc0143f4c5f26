import fc from 'fast-check'
import { expect, it } from 'vitest'
import { BodyBytes, BodyScanner } from './body-bytes.ts'

it('joins single bytes into larger chunks, in order', () => {
  const text = JSON.stringify({ words: Array.from({ length: 2_000 }, (_, index) => `word-${index}`) })
  const scanner = new BodyScanner()
  for (const byte of Buffer.from(text)) scanner.push(Buffer.from([byte]))
  const body = scanner.end()
  expect(body.text()).toBe(text)
  expect(body.inspection.scan.fault).toBeUndefined()
  expect(body.chunks.length).toBeLessThan(text.length / 1_024 + 1_024)
})

it('keeps the chunks of an ordinary body unchanged', () => {
  const chunks = [Buffer.from('{"a":'), Buffer.from('1}')]
  expect(BodyBytes.from(chunks).chunks).toEqual(chunks)
})

it('releases its chunks and the lists of slices made from them', () => {
  const body = BodyBytes.from([Buffer.from('{"a":'), Buffer.from('1}')])
  const parts = body.lend([...body.slice(0, 6)])
  expect(parts).toHaveLength(2)
  body.release()
  expect([body.chunks, parts]).toEqual([[], []])
})

it('finds bytes across any chunk boundaries', () => {
  const text = fc.string({ unit: fc.constantFrom('a', 'b'), maxLength: 30 })
  const part = fc.string({ unit: fc.constantFrom('a', 'b'), minLength: 1, maxLength: 6 })
  const cuts = fc.array(fc.nat(30), { maxLength: 6 })
  fc.assert(
    fc.property(text, part, cuts, (all, wanted, cutAt) => {
      const inside = cutAt.filter((offset) => offset < all.length).sort((one, other) => one - other)
      const offsets = [0, ...inside, all.length]
      const chunks = offsets.slice(1).map((end, index) => Buffer.from(all.slice(offsets[index], end)))
      expect(BodyBytes.from(chunks).includes(Buffer.from(wanted))).toBe(all.includes(wanted))
    }),
    { numRuns: 2_000 },
  )
})

it('decodes the bytes between two offsets as Latin-1, across any chunk boundaries', () => {
  const bytes = Buffer.from('{"a":"é","b":"\u{1f600}"}')
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const body = BodyBytes.from([bytes.subarray(0, cut), bytes.subarray(cut)])
    expect([body.latin1(), body.latin1(2, 9)]).toEqual([
      bytes.toString('latin1'),
      bytes.toString('latin1', 2, 9),
    ])
  }
})
