import { describe, expect, it } from 'vitest'
import { BodyBytes } from '../../../kit/json/body-bytes.ts'
import { isJsonObject } from '../../../kit/json/json.ts'
import type { ChannelRerank } from '../../rerank-format.ts'
import { cohereRerank } from '../channels/cohere-rerank.ts'
import { jinaRerank } from '../channels/jina-rerank.ts'
import { voyageRerank } from '../channels/voyage-rerank.ts'
import { rerankFormat } from '../format.ts'

function splice(text: string, { own }: ChannelRerank): string | undefined {
  const scanned = rerankFormat.scanRequest(BodyBytes.from([Buffer.from(text)]))
  const body: unknown = JSON.parse(text)
  if (own === undefined || !isJsonObject(body)) throw new Error('there is nothing to splice')
  const target = { form: own, model: 'upstream' }
  const parts = rerankFormat.spliceOwnForm(scanned, rerankFormat.readRequest(body), target)
  return parts === undefined ? undefined : Buffer.concat(parts).toString()
}

describe('the body of a ranking', () => {
  it.each([
    [cohereRerank, ', "top_n": 2, "max_tokens_per_doc": 9'],
    [voyageRerank, ', "top_k" :2, "truncation": false'],
    [voyageRerank, ''],
  ])('goes up as it is where the channel has all its fields, but for the model', (form, more) => {
    const text = `{ "query": "\\u0041", "model": "m",  "documents": ["a", "b" ]${more} }`
    expect(splice(text, form)).toBe(text.replace('"m"', '"upstream"'))
  })

  it('says that no documents are wanted back, where the channel would send them', () => {
    const text = '{"model":"m","query":"q","documents":[{"text":"a","b":1}]}'
    expect(splice(text, jinaRerank)).toBe(
      '{"return_documents":false,"model":"upstream","query":"q","documents":[{"text":"a","b":1}]}',
    )
    const asked = text.replace('}]', '}],"return_documents":true')
    expect(splice(asked, jinaRerank)).toBe(asked.replace('"m"', '"upstream"').replace(':true', ':false'))
  })

  it.each([
    ['another name of a field', voyageRerank, ',"top_n":2'],
    ['two names of a field', cohereRerank, ',"top_n":2,"top_k":2'],
    ['a field of another provider', cohereRerank, ',"truncation":true'],
    ['a field that nobody knows', cohereRerank, ',"user":"u"'],
    ['a field that is null', cohereRerank, ',"top_n":null'],
    ['documents that are wanted back', voyageRerank, ',"return_documents":true'],
  ])('is written anew for %s', (_what, form, more) => {
    expect(splice(`{"model":"m","query":"q","documents":["a"]${more}}`, form)).toBeUndefined()
  })

  it('is written anew where a document is an object and the channel takes texts', () => {
    expect(splice('{"model":"m","query":"q","documents":["a",{"text":"b"}]}', cohereRerank)).toBeUndefined()
  })
})
