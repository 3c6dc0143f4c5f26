import { expect, it } from 'vitest'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import { readVectors } from './read-vectors.ts'

function answer(...embeddings: readonly JsonValue[]): JsonObject {
  const data = embeddings.map((embedding, index) => ({ object: 'embedding', index, embedding }))
  return { object: 'list', data, model: 'm', usage: { prompt_tokens: 2, total_tokens: 2 } }
}

it('reads vectors written as numbers', () => {
  expect(readVectors(answer([0.5, -1], [0, 2]))).toEqual({
    type: 'vectors',
    vectors: [
      [0.5, -1],
      [0, 2],
    ],
  })
})

it('reads vectors written as base64 of 32-bit floats', () => {
  const base64 = Buffer.from(new Float32Array([0.5, -1]).buffer).toString('base64')
  expect(readVectors(answer(base64))).toEqual({ type: 'vectors', vectors: [[0.5, -1]] })
})

it.each([undefined, {}, { error: { message: 'no' } }])('reads no vectors from %j', (json) => {
  expect(readVectors(json)).toBeUndefined()
})
