import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { checkHeldSchemas } from '../../../test/support/strict-upstream/check-held-schemas.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import { anthropic } from '../../providers/vendors/anthropic.ts'
import { writeRequest } from './request/write-request.ts'

const model = 'claude-sonnet-4-5'
const turns = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }] as const

const { schema: schemaArbitrary } = fc.letrec<{ schema: JsonObject; properties: JsonObject }>((tie) => ({
  properties: fc.dictionary(fc.constantFrom('a', 'b', '$ref', 'oneOf'), tie('schema'), { maxKeys: 3 }),
  schema: fc.oneof(
    { maxDepth: 4, depthSize: 'small' },
    fc.constantFrom<JsonObject>(
      { type: 'string' },
      { type: ['string', 'null'], enum: ['x', null] },
      { type: 'string', format: 'uri-reference', pattern: '(?=a)' },
      { type: 'integer', format: 'int64', minimum: 0 },
      { type: 'object' },
      { const: 1 },
    ),
    fc.constantFrom('#', '#/$defs/A', '#/$defs/B', '#/definitions/A', 'other.json').map(($ref) => ({ $ref })),
    fc.record(
      {
        type: fc.constant('object'),
        properties: tie('properties'),
        required: fc.constant(['a', 'b']),
        additionalProperties: fc.oneof(fc.boolean(), tie('schema')),
      },
      { requiredKeys: ['type', 'properties'] },
    ),
    fc.record({ type: fc.constant('array'), items: tie('schema'), minItems: fc.nat(2) }),
    fc
      .tuple(
        fc.constantFrom('anyOf', 'oneOf', 'allOf'),
        fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
      )
      .map(([name, members]) => ({ [name]: members })),
  ),
}))

/** Objects whose definitions may lead anywhere. */
const rootArbitrary = fc
  .tuple(schemaArbitrary, schemaArbitrary, schemaArbitrary)
  .map(([a, first, second]): JsonObject => {
    const properties = { type: 'object', properties: { a }, required: ['a'] }
    return { ...properties, $defs: { A: first, B: second } }
  })

describe('a request with any schemas', () => {
  it('has no strict schema that the provider refuses', () => {
    let heldCount = 0
    fc.assert(
      fc.property(rootArbitrary, rootArbitrary, (schema, parameters) => {
        const tools = [{ type: 'function', name: 'f', parameters, strict: true }] as const
        const request = {
          model,
          turns,
          stream: false,
          tools,
          outputFormat: { type: 'json-schema', schema },
        } as const
        const { value } = writeRequest(request, { model, dialect: anthropic.dialect(model) })
        if (value['output_config'] !== undefined) heldCount += 1
        checkHeldSchemas(value)
      }),
      { seed: 7, numRuns: 2_000 },
    )
    expect(heldCount).toBeGreaterThan(100)
  })
})
