import { expect, it } from 'vitest'
import { isFailure } from '../../../canonical/failure.ts'
import { vertexRerank } from './vertex-rerank.ts'

it('reads the records in the order of their scores', () => {
  const read = vertexRerank.readReply(
    {
      records: [
        { id: '1', score: 0.2 },
        { id: '0', score: 0.9 },
      ],
    },
    2,
  )
  if (isFailure(read)) throw new Error('the answer is a failure')
  expect(read.usage).toBeUndefined()
  expect(read.listResults()).toEqual([
    { index: 0, relevanceScore: 0.9 },
    { index: 1, relevanceScore: 0.2 },
  ])
})

it.each([
  ['records that are no list', { records: {} }],
  ['a record that is no object', { records: ['0'] }],
  ['an ID that was not sent', { records: [{ id: '2', score: 1 }] }],
  ['an ID that is no number', { records: [{ id: '', score: 1 }] }],
  [
    'the same ID twice',
    {
      records: [
        { id: '0', score: 1 },
        { id: '0', score: 1 },
      ],
    },
  ],
  ['no score', { records: [{ id: '0' }] }],
])('reads an answer with %s as a failure', (_what, body) => {
  expect(isFailure(vertexRerank.readReply(body, 2))).toBe(true)
})
