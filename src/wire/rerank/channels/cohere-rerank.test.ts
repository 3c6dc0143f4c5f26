import { expect, it } from 'vitest'
import { cohereRerank } from './cohere-rerank.ts'

const asked = { model: 'best', query: 'tides', topN: 2 }

it('writes documents as texts, and an object by its text', () => {
  const written = cohereRerank.writeRequest(
    {
      ...asked,
      documents: [
        { type: 'text', text: 'noon' },
        { type: 'object', text: 'dusk', value: { text: 'dusk', page: 3 } },
      ],
      maxTokensPerDocument: 50,
    },
    'rerank-v4',
  )
  expect(written).toEqual({
    value: {
      model: 'rerank-v4',
      query: 'tides',
      documents: ['noon', 'dusk'],
      top_n: 2,
      max_tokens_per_doc: 50,
    },
    losses: [],
  })
})

it('refuses a document without a text, and names it', () => {
  const documents = [{ type: 'object', text: undefined, value: { image: 'x' } }] as const
  expect(() => cohereRerank.writeRequest({ ...asked, documents }, 'rerank-v4')).toThrow('"documents[0]"')
})

it('declares that long documents are always cut', () => {
  const documents = [{ type: 'text', text: 'noon' }] as const
  const { losses } = cohereRerank.writeRequest({ ...asked, documents, truncation: false }, 'rerank-v4')
  expect(losses.map(({ field }) => field)).toEqual(['truncation'])
})
