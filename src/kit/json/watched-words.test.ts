import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { BodyBytes } from './body-bytes.ts'
import { watchedWords } from './watched-words.ts'

const signature = watchedWords({ names: ['signature'] })
const image = watchedWords({ types: ['image'] })
const anyWord = watchedWords({ names: ['signature', 'file_id'], types: ['image', 'tool_addition'] })

function bodyOf(text: string, ...cuts: readonly number[]): BodyBytes {
  const bytes = Buffer.from(text)
  const ends = [...cuts, bytes.length]
  return BodyBytes.from(ends.map((end, index) => bytes.subarray(ends[index - 1] ?? 0, end)))
}

describe('the search for watched words in a body', () => {
  it.each([
    '{"a":[{"b":{"signature":1}}]}',
    '{ "signature" : "x" }',
    '{"Signature":null}',
    '{"\\u0073ignature":1}',
    `{"${[...'signature'].map((one) => `\\u00${one.charCodeAt(0).toString(16)}`).join('')}":1}`,
    '{"a\\n":1}',
  ])('reports that the name may be in %s', (text) => {
    expect(bodyOf(text).mayHold(signature)).toBe(true)
  })

  it.each([
    '{}',
    '{"a":"signature"}',
    '{"a":["signature",{"signatures":1}]}',
    '{"a":"{\\"signature\\":1}"}',
    '{"a":"a\\nb\\u0041"}',
    `{"${'x'.repeat(200)}":1}`,
  ])('rules out the name in %s', (text) => {
    expect(bodyOf(text).mayHold(signature)).toBe(false)
  })

  it.each([
    '{"a":{"type":"image_url"}}',
    '{"type" :\n"image"}',
    '{"type":"\\u0069mage"}',
    '{"typ\\u0065":"image"}',
  ])('reports that the type may be in %s', (text) => {
    expect(bodyOf(text).mayHold(image)).toBe(true)
  })

  it.each([
    '{"type":"text"}',
    '{"type":"imag"}',
    '{"type":"my_image"}',
    '{"kind":"image"}',
    `{"type":"function","a":"image"}`,
  ])('rules out the type in %s', (text) => {
    expect(bodyOf(text).mayHold(image)).toBe(false)
  })

  it('reports every word as possible if the body is not JSON', () => {
    expect(bodyOf('{"a":1').mayHold(anyWord)).toBe(true)
  })

  it('finds each word that parsing finds, across any chunk boundaries', () => {
    const name = fc.constantFrom('signature', 'file_id', 'type', 'a', 'SIGNATURE')
    const text = fc.constantFrom('image', 'image_url', 'tool_addition', 'b', 'ima"ge', 'x'.repeat(30))
    const { object } = fc.letrec((tie) => ({
      object: fc.dictionary(name, fc.oneof(text, tie('object'), fc.array(text)), { maxKeys: 4 }),
    }))
    fc.assert(
      fc.property(
        object,
        fc.array(fc.nat(120), { maxLength: 4 }),
        fc.boolean(),
        (value, cuts, isIndented) => {
          const written = JSON.stringify(value, undefined, isIndented ? 1 : 0)
          const body = bodyOf(
            written,
            ...cuts.filter((cut) => cut < written.length).toSorted((a, b) => a - b),
          )
          if (/"signature":/i.test(written)) expect(body.mayHold(signature)).toBe(true)
          if (/"type": ?"image/.test(written)) expect(body.mayHold(image)).toBe(true)
          if (!/signature|file_id|image|tool_addition|\\/i.test(written) && cuts.length === 0)
            expect(body.mayHold(anyWord)).toBe(false)
        },
      ),
      { numRuns: 3_000 },
    )
  })
})
