import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EmbeddingRequest, joinEmbeddings } from '../../canonical/embedding.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { embeddingsFormat } from './format.ts'

const { readRequest, writeRequest, readReply, writeReply, scanRequest } = embeddingsFormat

function refusalOf(act: () => unknown) {
  try {
    act()
  } catch (error) {
    if (error instanceof GatewayError) return [error.failure.code, error.failure.param]
    throw error
  }
  return 'taken'
}

const listOf = (...embeddings: readonly JsonValue[]): JsonObject => ({
  object: 'list',
  data: embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding })),
  model: 'm',
  usage: { prompt_tokens: 3, total_tokens: 3 },
})

describe('an embeddings request', () => {
  it.each([
    ['a text', 'Hi', [{ type: 'text', text: 'Hi' }]],
    ['an empty text, which the provider may judge', '', [{ type: 'text', text: '' }]],
    [
      'texts',
      ['a', 'b'],
      [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
    ],
    ['tokens', [1, 2], [{ type: 'tokens', tokens: [1, 2] }]],
    [
      'lists of tokens',
      [[1], [2, 3]],
      [
        { type: 'tokens', tokens: [1] },
        { type: 'tokens', tokens: [2, 3] },
      ],
    ],
    ['a form of one provider', [{ image: 'x' }], [{ type: 'opaque', value: { image: 'x' } }]],
  ])('accepts %s', (_what, input, inputs) => {
    expect(readRequest({ model: 'm', input }).inputs).toEqual(inputs)
  })

  it.each([
    [{ model: 'm' }, 'missing_field', 'input'],
    [{ model: 'm', input: null }, 'missing_field', 'input'],
    [{ model: 'm', input: [] }, 'invalid_field', 'input'],
    [{ input: 'Hi' }, 'missing_field', 'model'],
  ])('%j is refused: %s, %s', (body, code, param) => {
    expect(refusalOf(() => readRequest(body))).toEqual([code, param])
  })

  it.each([
    { encoding_format: 'base64_int8' },
    { dimensions: 0 },
    { dimensions: 'many' },
    { user: 7, encoding_format: null },
  ])('with %j passes unchanged, for the provider to judge', (odd) => {
    const body = { model: 'm', input: 'Hi', ...odd }
    expect(writeRequest(readRequest(body), 'm')).toEqual(body)
  })

  it('without input is already refused by the scan of its bytes', () => {
    const bytes = (text: string) => BodyBytes.from([Buffer.from(text)])
    expect(refusalOf(() => scanRequest(bytes('{"model":"m"}')))).toEqual(['missing_field', 'input'])
    expect(scanRequest(bytes('{"model":"m","input":"x","stream":true}')).isStream).toBe(false)
  })

  it('is written exactly as it was read, including unknown fields', () => {
    const text = fc.string().map((value) => ({ type: 'text' as const, text: value }))
    const tokens = fc
      .array(fc.nat(), { minLength: 1 })
      .map((list) => ({ type: 'tokens' as const, tokens: list }))
    const request: fc.Arbitrary<EmbeddingRequest> = fc.record(
      {
        model: fc.constant('m'),
        inputs: fc.oneof(fc.array(text, { minLength: 1 }), fc.array(tokens, { minLength: 1 })),
        dimensions: fc.integer({ min: 1, max: 4096 }),
        encoding: fc.constantFrom('float' as const, 'base64' as const),
        endUser: fc.string(),
        extras: fc.constant({
          format: 'embeddings' as const,
          fields: { input_type: 'query', truncate: null },
        }),
      },
      { requiredKeys: ['model', 'inputs'] },
    )
    fc.assert(
      fc.property(request, (one) => {
        expect(readRequest(writeRequest(one, 'm'))).toEqual(one)
      }),
    )
  })
})

describe('an embeddings answer', () => {
  it('is sorted by its indexes', () => {
    const body = listOf([1], [2], [3])
    const shuffled = { ...body, data: [2, 0, 1].map((path) => Object(body['data'])[path]) }
    expect(readReply(shuffled)).toEqual(readReply(body))
  })

  it.each([
    ['no list', { data: {} }, 'upstream_bad_response'],
    ['no vectors', listOf(), 'upstream_empty'],
    ['a vector that holds a text', listOf([1, 'x']), 'upstream_bad_response'],
    ['a vector that is missing', { data: [{ index: 0 }] }, 'upstream_bad_response'],
    [
      'two vectors of one place',
      {
        data: [
          { index: 0, embedding: [1] },
          { index: 0, embedding: [2] },
        ],
      },
      'upstream_bad_response',
    ],
    ['a place beyond the list', { data: [{ index: 1, embedding: [1] }] }, 'upstream_bad_response'],
    ['a place that is a word', { data: [{ index: 'length', embedding: [1] }] }, 'upstream_bad_response'],
    [
      'an error under a good status',
      { error: { message: 'Rate limit reached', code: 'rate_limit_exceeded' } },
      'upstream_rate_limited',
    ],
    ['a text', 'Hi', 'upstream_bad_response'],
  ])('with %s is a failure', (_what, body: JsonValue, code) => {
    expect(readReply(body)).toMatchObject({ code })
  })

  it('never throws, whatever an upstream sends', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        const value: JsonValue = JSON.parse(text)
        readReply(value)
        readReply({ data: [value] })
      }),
    )
  })

  it('has the same vector in both encodings, rounded to 32-bit floats', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ noNaN: true, min: -1, max: 1 }), { minLength: 1 }), (values) => {
        const read = readReply(listOf(values))
        if ('code' in read) throw new Error(read.code)
        const packed = readReply(writeReply(read, 'base64'))
        if ('code' in packed) throw new Error(packed.code)
        expect(writeReply(packed, 'float')['data']).toEqual(listOf(values.map(Math.fround))['data'])
      }),
    )
  })

  it('retains the encoding of each vector when the caller named none, since not all base64 holds floats', () => {
    const bytes = listOf('9sYAAw==', '/A==')
    const read = readReply(bytes)
    if ('code' in read) throw new Error(read.code)
    expect(writeReply(read, undefined)).toEqual(bytes)
  })

  it('retains its other fields and its usage', () => {
    const read = readReply({ ...listOf([1]), id: 'e1' })
    if ('code' in read) throw new Error(read.code)
    expect(writeReply(read, 'float')).toEqual({ ...listOf([1]), id: 'e1' })
  })

  it('of several calls has all vectors in order and their total usage, or none when one is unknown', () => {
    const read = (body: JsonObject) => {
      const reply = readReply(body)
      if ('code' in reply) throw new Error(reply.code)
      return reply
    }
    const [first, second] = [read(listOf([1], [2])), read(listOf([3]))]
    const joined = writeReply(joinEmbeddings(first, [second]), 'float')
    expect(joined).toEqual({ ...listOf([1], [2], [3]), usage: { prompt_tokens: 6, total_tokens: 6 } })
    const { usage: _usage, ...silent } = listOf([3])
    expect(writeReply(joinEmbeddings(first, [read(silent)]), 'float')).not.toHaveProperty('usage')
  })
})
