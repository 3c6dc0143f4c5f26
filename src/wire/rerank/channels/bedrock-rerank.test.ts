import { expect, it } from 'vitest'
import type { RerankRequest } from '../../../canonical/operations/rerank.ts'
import { bedrockRerank } from './bedrock-rerank.ts'

const request: RerankRequest = {
  model: 'best',
  query: 'tides',
  documents: [{ type: 'text', text: 'noon' }],
  topN: 1,
  maxTokensPerDocument: 100,
}

it('names the model in the path alone, escaped', () => {
  const { path } = bedrockRerank
  expect(typeof path === 'function' && path({ model: 'arn:aws:x/y', isStream: false })).toBe(
    '/model/arn%3Aaws%3Ax%2Fy/invoke',
  )
  expect(bedrockRerank.writeRequest(request, 'amazon.rerank-v1:0').value).toEqual({
    query: 'tides',
    documents: ['noon'],
    top_n: 1,
  })
})

it('writes the version and the length limit of documents for Cohere models, even with a region', () => {
  const written = bedrockRerank.writeRequest(request, 'eu.cohere.rerank-v3-5:0')
  expect(written.value).toMatchObject({ api_version: 2, max_tokens_per_doc: 100 })
  expect(written.losses).toEqual([])
})

it('declares the fields that Amazon’s model does not have', () => {
  const { losses } = bedrockRerank.writeRequest({ ...request, truncation: false }, 'amazon.rerank-v1:0')
  expect(losses.map(({ field }) => field)).toEqual(['truncation', 'max_tokens_per_doc'])
})
