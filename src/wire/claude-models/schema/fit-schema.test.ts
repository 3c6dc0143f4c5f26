import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../../kit/json/json.ts'
import { fitSchema } from './fit-schema.ts'

const text = { type: 'string' }

function object(properties: JsonObject, more: JsonObject = {}): JsonObject {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties),
    additionalProperties: false,
    ...more,
  }
}

describe('fitSchema', () => {
  it.each<[string, JsonObject]>([
    ['plain types', object({ a: text, b: { type: ['number', 'null'] }, c: { type: 'array', items: text } })],
    ['definitions that are used twice', usesTwice()],
    ['a choice', object({ a: { anyOf: [text, { type: 'null' }] } })],
    ['an object that the caller closed and left empty', object({ a: object({}) })],
    ['words for names', object({ oneOf: text, minimum: text, $ref: text, format: text, default: text })],
    ['known formats, simple patterns and at least one item', usesKeptKeywords()],
    ['notes', object({ a: { ...text, default: 'x', examples: ['x'], title: 't' } }, { $schema: 'x' })],
  ])('returns %s unchanged', (_what, schema) => {
    expect(fitSchema(schema)).toMatchObject({ schema, isChanged: false })
  })

  it('closes objects that list their properties', () => {
    const open = { type: 'object', properties: { a: { type: 'object', properties: { b: text } } } }
    expect(fitSchema(open)).toMatchObject({
      schema: {
        type: 'object',
        properties: { a: { type: 'object', properties: { b: text }, additionalProperties: false } },
        additionalProperties: false,
      },
      isChanged: true,
    })
    expect(fitSchema({ ...open, additionalProperties: true })?.schema['additionalProperties']).toBe(false)
    expect(fitSchema({ properties: { b: text } })?.schema).toEqual({
      type: 'object',
      properties: { b: text },
      additionalProperties: false,
    })
  })

  it.each<[string, JsonObject, JsonObject]>([
    ['`oneOf` to `anyOf`', { oneOf: [text], discriminator: { propertyName: 'a' } }, { anyOf: [text] }],
    ['unknown formats', { type: 'integer', format: 'int32' }, { type: 'integer' }],
    ['formats of texts that are not listed', { ...text, format: 'uri-reference' }, text],
    ['patterns that look ahead', { ...text, pattern: '^(?!a)b$' }, text],
    ['patterns that look back', { ...text, pattern: '^(a)\\1$' }, text],
    ['bounds', { type: 'number', minimum: 1, exclusiveMaximum: 3, multipleOf: 2 }, { type: 'number' }],
    ['counts of items', { type: 'array', items: text, minItems: 2, maxItems: 3 }, arrayOf(text)],
    ['conditions', { ...text, not: { const: 'a' }, if: {}, else: {} }, text],
    ['what stands beside a choice', { type: 'string', anyOf: [text] }, { anyOf: [text] }],
  ])('changes %s, and declares that', (_what, before, after) => {
    expect(fitSchema(object({ a: before }))).toMatchObject({ schema: object({ a: after }), isChanged: true })
  })

  it('reduces a reference to its target', () => {
    const $defs = { A: text }
    const noted = { $ref: '#/$defs/A', description: 'An A.' }
    expect(fitSchema(object({ a: noted }, { $defs }))).toMatchObject({
      schema: object({ a: { $ref: '#/$defs/A' } }, { $defs }),
      isChanged: true,
    })
  })

  it('replaces `allOf` by its single member', () => {
    const $defs = { A: text }
    const schema = object({ a: { allOf: [{ $ref: '#/$defs/A' }] } }, { $defs })
    expect(fitSchema(schema)).toMatchObject({
      schema: object({ a: { $ref: '#/$defs/A' } }, { $defs }),
      isChanged: false,
    })
  })

  it('lists values of several types without a type, since the provider compares them with a single type', () => {
    const listed = { type: ['string', 'null'], enum: ['a', null, 3] }
    expect(fitSchema(object({ a: listed }))).toMatchObject({
      schema: object({ a: { enum: ['a', null] } }),
      isChanged: false,
    })
    const single = { type: 'string', enum: ['a', null] }
    expect(fitSchema(object({ a: single }))?.schema).toEqual(object({ a: { type: 'string', enum: ['a'] } }))
  })

  it.each<[string, JsonObject]>([
    ['the whole within itself', object({ children: arrayOf({ $ref: '#' }) })],
    ['a definition within itself', object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: nests('A') } })],
    [
      'definitions within one another',
      object({ a: { $ref: '#/$defs/A' } }, { $defs: { A: nests('B'), B: nests('A') } }),
    ],
    [
      'a definition of the old name within itself',
      object(
        { a: { $ref: '#/definitions/A' } },
        { definitions: { A: object({ a: { $ref: '#/definitions/A' } }) } },
      ),
    ],
    ['what stands elsewhere', object({ a: { $ref: 'https://example.com/a.json' } })],
    ['what stands nowhere', object({ a: { $ref: '#/$defs/A' } })],
    ['what is no definition', object({ a: text, b: { $ref: '#/properties/a' } })],
    ['an object of any names', object({ a: { type: 'object' } })],
    ['an object that names none', object({ a: { type: 'object', properties: {} } })],
    ['an object of any names, or null', object({ a: { type: ['object', 'null'] } })],
    ['a map', object({ a: { type: 'object', additionalProperties: { type: 'number' } } })],
    ['a map beside names', object({ a: text }, { additionalProperties: { type: 'number' } })],
    ['a map by pattern', object({ a: { ...object({}), patternProperties: { '^x': text } } })],
    ['a value of any type', object({ a: { description: 'Anything.' } })],
    ['items of any type', object({ a: arrayOf(true) })],
    ['a tuple', object({ a: { type: 'array', prefixItems: [text], items: false } })],
    ['a tuple of the old form', object({ a: { type: 'array', items: [text, text] } })],
    ['objects as listed values', object({ a: { enum: [{ b: 1 }] } })],
    ['an object as the one value', object({ a: { const: { b: 1 } } })],
    ['no value at all', object({ a: { type: 'string', enum: [1] } })],
    ['objects that are joined', object({ a: { allOf: [object({ b: text }), object({ c: text })] } })],
    ['references that are joined', { ...usesTwice(), properties: { a: { allOf: [refA, text] } } }],
    ['a choice beside properties', object({ a: text }, { anyOf: [{ required: ['a'] }] })],
    ['two choices at once', object({ a: { anyOf: [text], oneOf: [text] } })],
  ])('refuses %s', (_what, schema) => {
    expect(fitSchema(schema)).toBeUndefined()
  })

  it('accepts no more optional properties and unions than the provider', () => {
    const names = Array.from({ length: 24 }, (_, index) => `p${index}`)
    const optional = (count: number) =>
      object(Object.fromEntries(names.slice(0, count).map((name) => [name, text])), { required: [] })
    expect(fitSchema(optional(24))?.optionalCount).toBe(24)
    expect(fitSchema({ ...object({ a: optional(24) }), required: [] })).toBeUndefined()
    const unions = (count: number, union: JsonObject) =>
      object(Object.fromEntries(names.slice(0, count).map((name) => [name, union])))
    expect(fitSchema(unions(16, { type: ['string', 'null'] }))?.unionCount).toBe(16)
    expect(fitSchema(unions(17, { type: ['string', 'null'] }))).toBeUndefined()
    expect(fitSchema(unions(17, { anyOf: [text, { type: 'null' }] }))).toBeUndefined()
  })
})

const refA = { $ref: '#/$defs/A' }

function usesTwice(): JsonObject {
  return object({ a: { $ref: '#/$defs/A' }, b: arrayOf({ $ref: '#/$defs/A' }) }, { $defs: { A: text } })
}

function usesKeptKeywords(): JsonObject {
  return object({
    a: { ...text, format: 'date-time' },
    b: { ...text, pattern: '^[a-z]{2}\\d+$' },
    c: { ...arrayOf(text), minItems: 1 },
  })
}

function arrayOf(items: JsonObject | boolean): JsonObject {
  return { type: 'array', items }
}

function nests(name: string): JsonObject {
  return object({ inner: { anyOf: [{ $ref: `#/$defs/${name}` }, { type: 'null' }] } })
}
