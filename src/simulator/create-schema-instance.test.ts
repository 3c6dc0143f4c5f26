import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import type { JsonObject } from '../kit/json/json.ts'
import { createSchemaInstance } from './create-schema-instance.ts'

/** Another reader of JSON Schema than ours. */
function isValid(schema: JsonObject, value: unknown): boolean {
  return z.fromJSONSchema(structuredClone({ ...schema })).safeParse(value).success
}

const scalar = fc.oneof(
  fc.record({ type: fc.constant('string'), minLength: fc.nat(6) }),
  fc.record({ type: fc.constant('string'), maxLength: fc.nat(3) }),
  fc.constantFrom<JsonObject>(
    { type: 'string', format: 'email' },
    { type: 'string', format: 'date-time' },
    { type: 'boolean' },
    { type: 'null' },
    { enum: ['a', 'b'] },
    { const: 7 },
  ),
  fc
    .tuple(fc.constantFrom('integer', 'number'), fc.integer({ min: -50, max: 50 }), fc.nat(9))
    .map(([type, minimum, more]): JsonObject => ({ type, minimum, maximum: minimum + more })),
  fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.integer({ min: 1, max: 7 }))
    .map(([minimum, multipleOf]): JsonObject => ({ type: 'integer', minimum, multipleOf })),
)

const schemas: fc.Arbitrary<JsonObject> = fc.letrec<{ schema: JsonObject }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    scalar,
    fc
      .tuple(
        fc.dictionary(fc.constantFrom('a', 'b', 'c'), tie('schema'), { noNullPrototype: true }),
        fc.boolean(),
      )
      .map(([properties, isStrict]) => ({
        type: 'object',
        properties,
        required: Object.keys(properties).slice(isStrict ? 0 : 1),
        additionalProperties: !isStrict,
      })),
    fc.tuple(tie('schema'), fc.nat(3)).map(([items, minItems]) => ({ type: 'array', items, minItems })),
    fc.array(tie('schema'), { minLength: 1, maxLength: 2 }).map((anyOf) => ({ anyOf })),
  ),
})).schema

describe('the instance of a JSON schema', () => {
  it('is valid for another schema validator', () => {
    fc.assert(
      fc.property(schemas, (schema) => {
        expect(isValid(schema, createSchemaInstance(schema))).toBe(true)
      }),
      { numRuns: 1_000 },
    )
  })

  it('follows references and ends at recursive schemas', () => {
    const node = {
      type: 'object',
      properties: {
        next: { anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] },
        value: { type: 'integer' },
      },
      required: ['next', 'value'],
      additionalProperties: false,
    }
    const schema = { $defs: { node }, $ref: '#/$defs/node' }
    expect(isValid(schema, createSchemaInstance(schema))).toBe(true)
    expect(
      createSchemaInstance({ type: 'object', properties: { self: { $ref: '#' } }, required: ['self'] }),
    ).toBeTypeOf('object')
  })

  it('merges the parts of allOf', () => {
    const part = (name: string) => ({
      type: 'object',
      properties: { [name]: { type: 'integer' } },
      required: [name],
    })
    expect(createSchemaInstance({ allOf: [part('a'), part('b')] })).toEqual({ a: 1, b: 1 })
  })

  it('keeps numbers inside exclusive limits', () => {
    expect(createSchemaInstance({ type: 'integer', exclusiveMinimum: 1 })).toBe(2)
    expect(createSchemaInstance({ type: 'number', exclusiveMaximum: 0 })).toBe(-0.5)
  })

  it('has a sample of a common pattern, and does not wait for a pattern without end', () => {
    expect(createSchemaInstance({ type: 'string', pattern: '^\\d{5}$' })).toBe('12345')
    const pattern = '^(.|.|.|.|.|.)*!$'
    const properties = Object.fromEntries(
      Array.from({ length: 50 }, (_, index) => [`p${index}`, { type: 'string', pattern }]),
    )
    const before = process.cpuUsage()
    const schema = { type: 'object', properties, required: Object.keys(properties) }
    expect(Object.values(Object(createSchemaInstance(schema)))).toEqual(Array(50).fill('demo'))
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  })

  it.each<[string, JsonObject]>([
    [
      'lists within lists',
      [1, 2, 3, 4].reduce<JsonObject>((items) => ({ type: 'array', minItems: 60, items }), {}),
    ],
    [
      'a schema that refers to itself many times',
      {
        type: 'object',
        properties: {
          a: { $ref: '#' },
          b: { $ref: '#' },
          c: { $ref: '#' },
          d: { $ref: '#' },
          e: { $ref: '#' },
        },
        required: ['a', 'b', 'c', 'd', 'e'],
      },
    ],
  ])('is bounded for a small schema of more values than memory holds: %s', (_what, schema) => {
    const before = process.cpuUsage()
    expect(JSON.stringify(createSchemaInstance(schema)).length).toBeLessThan(1_000_000)
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  })

  it('uses the suggested text of a property', () => {
    const schema = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] }
    expect(createSchemaInstance(schema, (name) => (name === 'city' ? 'Rome' : undefined))).toEqual({
      city: 'Rome',
    })
  })

  it('is made from any JSON value without throwing', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (schema) => {
        expect(() => createSchemaInstance(JSON.parse(JSON.stringify(schema)))).not.toThrow()
      }),
    )
    expect(createSchemaInstance({ type: 'string', pattern: '(((' })).toBe('demo')
  })
})
