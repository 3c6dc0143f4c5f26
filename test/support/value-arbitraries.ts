import fc from 'fast-check'
import type { JsonObject, JsonValue } from '../../src/kit/json/json.ts'

const difficultTexts = [
  'Hello, world.',
  'ünïcödé ß 漢字 العربية',
  '👩‍👩‍👧‍👦🏳️‍🌈',
  'line\u2028separator\u2029paragraph',
  '"quoted" \\back\\slash\\ </script>',
  'line\nfeed\r\ncarriage\ttab',
  '\u0000\u0001\u001f\u007f',
  'data: {"a":1}\n\ndata: [DONE]\n\n',
  'e\u0301 \ufeff bom',
]

/** Text as people and hostile people write it: never empty, no lone surrogates. */
export const textArbitrary: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 8 }),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 4 }),
  fc.constantFrom(...difficultTexts),
)

/** A word that may stand as a name or as part of an id. */
export const wordArbitrary: fc.Arbitrary<string> = fc
  .array(fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz0123456789_'), { minLength: 1, maxLength: 6 })
  .map((letters) => `w${letters.join('')}`)

/** Any value that JSON gives back as it was: no -0, no number beyond 2^53, no `__proto__`. */
export const jsonArbitrary: fc.Arbitrary<JsonValue> = fc.letrec<{ value: JsonValue; object: JsonObject }>(
  (tie) => ({
    value: fc.oneof(
      { maxDepth: 2, depthSize: 'small', withCrossShrink: true },
      fc.constantFrom(null, true, false),
      fc.integer({ min: -1000, max: 1000 }),
      fc.constantFrom(0.5, -2.25, 1e-7, 9007199254740991),
      textArbitrary,
      fc.array(tie('value'), { maxLength: 2 }),
      tie('object'),
    ),
    object: fc.dictionary(fc.oneof(wordArbitrary, fc.constantFrom('', 'ключ', 'a"b', '0')), tie('value'), {
      maxKeys: 2,
      noNullPrototype: true,
    }),
  }),
).value

export const jsonObjectArbitrary: fc.Arbitrary<JsonObject> = fc.dictionary(wordArbitrary, jsonArbitrary, {
  maxKeys: 3,
  noNullPrototype: true,
})

/** Bytes as base64, padded. */
export const base64Arbitrary: fc.Arbitrary<string> = fc
  .uint8Array({ minLength: 1, maxLength: 7 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))

export const urlArbitrary: fc.Arbitrary<string> = wordArbitrary.map(
  (word) => `https://example.com/${word}?q=1`,
)

/** A JSON Schema of an object, as tools and answers have it. */
export const schemaArbitrary: fc.Arbitrary<JsonObject> = fc
  .array(fc.tuple(wordArbitrary, fc.constantFrom('string', 'integer', 'boolean')), { maxLength: 2 })
  .map((fields) => ({
    type: 'object',
    properties: Object.fromEntries(fields.map(([name, type]) => [name, { type }])),
    required: [...new Set(fields.map(([name]) => name))],
    additionalProperties: false,
  }))
