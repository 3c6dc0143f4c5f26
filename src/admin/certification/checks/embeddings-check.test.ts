import { expect, it } from 'vitest'
import { observed, refused, runCheck } from '../../../../test/support/certification/run-check.ts'
import { embeddingsCheck } from './embeddings-check.ts'

const judge = (...vectors: readonly (readonly number[])[]) =>
  runCheck(embeddingsCheck, observed({ type: 'vectors', vectors })).verdict

it('passes if each text gets its own vector, and reports the vector length', () => {
  expect(judge([1, 0, 0], [0, 1, 0])).toEqual({
    outcome: 'works',
    finding: 'vectors_given',
    details: { dimensions: 3 },
  })
})

it('fails if both texts get the same vector', () => {
  expect(judge([1, 0], [1, 0]).finding).toBe('vectors_alike')
})

it.each([
  ['a vector is missing', [[1, 0]]],
  ['the vectors are empty', [[], []]],
  ['their lengths differ', [[1, 0], [1]]],
  [
    'a value is not a number',
    [
      [1, Number.NaN],
      [0, 1],
    ],
  ],
])('fails if %s', (_what, vectors) => {
  expect(judge(...vectors).finding).toBe('vectors_broken')
})

it('is not offered if the channel has no such endpoint', () => {
  expect(runCheck(embeddingsCheck, refused('upstream_model_missing')).verdict.finding).toBe('no_embeddings')
})
