import { describe, expect, it } from 'vitest'
import { BodyBytes } from '../../../kit/json/body-bytes.ts'
import type { ChannelRerank } from '../../operations/rerank-format.ts'
import { cohereRerank } from '../channels/cohere-rerank.ts'
import { jinaRerank } from '../channels/jina-rerank.ts'
import { voyageRerank } from '../channels/voyage-rerank.ts'
import { rerankFormat } from '../format.ts'

function splice(text: string, { own }: ChannelRerank): string | undefined {
  const scanned = rerankFormat.scanRequest(BodyBytes.from([Buffer.from(text)]))
  if (own === undefined) throw new Error('the channel has no form of a caller')
  const ranking = rerankFormat.spliceOwnForm(scanned, { form: own, model: 'upstream' })
  return ranking === undefined ? undefined : Buffer.concat(ranking.parts).toString()
}

describe('the body of a rerank request', () => {
  it.each([
    [cohereRerank, ', "top_n": 2, "max_tokens_per_doc": 9'],
    [voyageRerank, ', "top_k" :2, "truncation": false'],
    [voyageRerank, ''],
  ])('passes unchanged, except for the model, when the channel has all its fields', (form, more) => {
    const text = `{ "query": "\\u0041", "model": "m",  "documents": ["a", "b" ]${more} }`
    expect(splice(text, form)).toBe(text.replace('"m"', '"upstream"'))
  })

  it('requests no documents in the answer when the channel would return them by default', () => {
    const text = '{"model":"m","query":"q","documents":["a"]}'
    const written = '{"return_documents":false,"model":"upstream","query":"q","documents":["a"]}'
    expect(splice(text, jinaRerank)).toBe(written)
    const asked = text.replace('}', ',"return_documents":false}')
    expect(splice(asked, jinaRerank)).toBe(asked.replace('"m"', '"upstream"'))
  })

  it.each([
    ['another name of a field', voyageRerank, ',"top_n":2'],
    ['two names of a field', cohereRerank, ',"top_n":2,"top_k":2'],
    ['a field of another provider', cohereRerank, ',"truncation":true'],
    ['a field that nobody knows', cohereRerank, ',"user":"u"'],
    ['a field that is null', cohereRerank, ',"top_n":null'],
    ['documents that are wanted back', jinaRerank, ',"return_documents":true'],
    ['a number that no double holds', cohereRerank, ',"top_n":1e400'],
  ])('is rewritten for %s', (_what, form, more) => {
    expect(splice(`{"model":"m","query":"q","documents":["a"]${more}}`, form)).toBeUndefined()
  })

  it.each([
    ['are objects in part', '["a",{"text":"b"}]'],
    ['are objects', '[{"text":"b"}]'],
    ['are none', '[]'],
    ['are no list', '"a"'],
    ['are an object of texts', '{"a":"b"}'],
    ['hold a list', '[["a"]]'],
    ['hold null', '["a",null]'],
  ])('is rewritten when the documents %s', (_what, documents) => {
    expect(splice(`{"model":"m","query":"q","documents":${documents}}`, jinaRerank)).toBeUndefined()
  })

  it('is rewritten when the query is not a string', () => {
    expect(splice('{"model":"m","query":["q"],"documents":["a"]}', cohereRerank)).toBeUndefined()
  })

  it('is refused with an option that the format forbids', () => {
    const text = '{"model":"m","query":"q","documents":["a"],"top_n":0}'
    expect(() => splice(text, cohereRerank)).toThrow('top_n')
  })

  it('gives the number of its documents and of the requested results', () => {
    const scanned = rerankFormat.scanRequest(
      BodyBytes.from([Buffer.from('{"model":"m","query":"q","documents":["a","b"],"top_n":1}')]),
    )
    const form = cohereRerank.own
    if (form === undefined) throw new Error('the channel has no form of a caller')
    expect(rerankFormat.spliceOwnForm(scanned, { form, model: 'm' })).toMatchObject({ documents: 2, topN: 1 })
  })
})
