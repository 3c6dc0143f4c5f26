import { expect, it } from 'vitest'
import { BodyIntake } from './body-intake.ts'

it('joins what comes in single bytes, and keeps it in order', () => {
  const text = JSON.stringify({ words: Array.from({ length: 2_000 }, (_, index) => `word-${index}`) })
  const intake = new BodyIntake()
  for (const byte of Buffer.from(text)) intake.push(Buffer.from([byte]))
  const body = intake.end()
  expect(body.text()).toBe(text)
  expect(body.inspection.scan.fault).toBeUndefined()
  expect(body.chunks.length).toBeLessThan(text.length / 1_024 + 1_024)
})

it('leaves the chunks of an ordinary body as they came', () => {
  const chunks = [Buffer.from('{"a":'), Buffer.from('1}')]
  expect(BodyIntake.of(chunks).chunks).toEqual(chunks)
})

it('frees its chunks, and the lists of parts that were made of them', () => {
  const body = BodyIntake.of([Buffer.from('{"a":'), Buffer.from('1}')])
  const parts = body.lend([...body.slice(0, 6)])
  expect(parts).toHaveLength(2)
  body.release()
  expect([body.chunks, parts]).toEqual([[], []])
})
