import { expect, it } from 'vitest'
import { voyageRerank } from './voyage-rerank.ts'

const request = { model: 'best', query: 'tides', documents: [{ type: 'text', text: 'noon' }] } as const

it('writes the number of results and the truncation of long documents under Voyage’s names', () => {
  expect(voyageRerank.writeRequest({ ...request, topN: 3, truncation: false }, 'rerank-2.5')).toEqual({
    value: { model: 'rerank-2.5', query: 'tides', documents: ['noon'], top_k: 3, truncation: false },
    losses: [],
  })
})

it('declares that it has no token limit for a document', () => {
  const { losses } = voyageRerank.writeRequest({ ...request, maxTokensPerDocument: 10 }, 'rerank-2.5')
  expect(losses.map(({ field }) => field)).toEqual(['max_tokens_per_doc'])
})
