import OpenAI from 'openai'
import { describe, expect, it, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { loadCases } from '../support/corpus.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { refusalOf } from '../support/open-gateway.ts'
import {
  answerOfCase,
  jsonAnswer,
  openScriptedUpstream,
  type UpstreamHandler,
} from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const loaded = loadCases({ api: 'cohere.embed' })

/** A gateway whose one channel of Cohere serves these models. */
async function openCohere(script: UpstreamHandler, models: readonly string[], more = '') {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(script))
  const gateway = cleanup.use(
    await startGateway(`
channels:
  - name: c
    provider: cohere
    base_url: ${upstream.origin}
    allow_private: true
    api_key: k
    breaker: off
    models: ${JSON.stringify(models)}
    ${more}
retry: { attempts: 1 }
`),
  )
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const open = cleanup.move()
  return {
    client,
    url: gateway.url,
    sent: (index: number) => fieldsOf(JSON.parse(upstream.requests[index]?.body.toString() ?? 'null')),
    upstream,
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

function vectorsFor(inputs: readonly unknown[]): object {
  return {
    id: 'e',
    embeddings: { float: inputs.map((_input, index) => [index, 0.5]) },
    meta: { billed_units: { input_tokens: inputs.length } },
  }
}

const answerVectors: UpstreamHandler = ({ body }) => {
  const { texts, inputs } = fieldsOf(JSON.parse(body.toString()))
  return jsonAnswer(vectorsFor(listOf(texts ?? inputs)))
}

describe.skipIf(loaded === undefined)('recorded embeddings of Cohere', () => {
  const cases = loaded ?? []

  it('reach the official client unchanged', async () => {
    const models = cases.map((_case, index) => `case-${index}`)
    await using replay = await openCohere(({ body }) => {
      const found =
        cases[Number(String(fieldsOf(JSON.parse(body.toString()))['model']).slice('case-'.length))]
      if (found === undefined) throw new Error('no case of this name')
      return answerOfCase(found)
    }, models)
    let [good, faults] = [0, 0]
    for (const [index, { id, request, response }] of cases.entries()) {
      const recorded = fieldsOf(request?.body)
      const input = listOf(recorded['texts']).map(String)
      const asked = { model: `case-${index}`, input, encoding_format: 'float' } as const
      if (response.status !== 200) {
        expect(await refusalOf(replay.client.embeddings.create(asked)), id).toBeInstanceOf(OpenAI.APIError)
        faults += 1
        continue
      }
      const { data, usage } = await replay.client.embeddings.create(asked)
      const { embeddings, meta } = fieldsOf(response.body)
      const vectors = Array.isArray(embeddings) ? embeddings : fieldsOf(embeddings)['float']
      expect(
        data.map(({ embedding }) => embedding),
        id,
      ).toEqual(vectors)
      expect(usage.prompt_tokens, id).toBe(fieldsOf(fieldsOf(meta)['billed_units'])['input_tokens'])
      expect(replay.sent(index)['texts'], id).toEqual(input)
      good += 1
    }
    expect([good, faults]).toEqual([3, 1])
  })
})

test('a request has the fields that the provider requires, the caller’s own value for them and the size of the vectors', async () => {
  await using cohere = await openCohere(answerVectors, ['embed'])
  const url = { url: cohere.url, format: 'embeddings' } as const
  const plain = await ask(url, { model: 'embed', input: 'a', dimensions: 256, user: 'u' })
  expect(cohere.upstream.requests[0]?.path).toBe('/v2/embed')
  expect(cohere.sent(0)).toEqual({
    model: 'embed',
    input_type: 'search_document',
    texts: ['a'],
    embedding_types: ['float'],
    output_dimension: 256,
  })
  expect(plain.headers['x-headgate-loss']).toBe('end-user=dropped, foreign-field(input_type)=defaulted')
  expect(fieldsOf(JSON.parse(plain.body.toString()))['model']).toBe('embed')
  await ask(url, { model: 'embed', input: ['a'], input_type: 'search_query', truncate: 'END' })
  expect(cohere.sent(1)).toMatchObject({ input_type: 'search_query', truncate: 'END' })
})

test('the gateway makes base64 itself, and sends more inputs than one call accepts in several calls', async () => {
  await using cohere = await openCohere(answerVectors, ['embed'])
  const input = Array.from({ length: 100 }, (_, index) => `text ${index}`)
  // The official client asks for base64 where nothing is said.
  const { data, usage } = await cohere.client.embeddings.create({ model: 'embed', input })
  expect(
    cohere.upstream.requests.map((_request, index) => listOf(cohere.sent(index)['texts']).length),
  ).toEqual([96, 4])
  expect(data).toHaveLength(100)
  expect(data[95]?.embedding).toEqual([95, 0.5])
  expect(data[96]?.embedding).toEqual([0, 0.5])
  expect(usage.prompt_tokens).toBe(100)
})

test('images are sent among texts as parts, and tokens of another model are refused', async () => {
  await using cohere = await openCohere(answerVectors, ['embed'])
  const url = { url: cohere.url, format: 'embeddings' } as const
  const picture = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }
  await ask(url, { model: 'embed', input: ['a', picture] })
  expect(cohere.sent(0)['inputs']).toEqual([
    { content: [{ type: 'text', text: 'a' }] },
    { content: [picture] },
  ])
  const refused = await ask(url, { model: 'embed', input: [[1, 2, 3]] })
  expect(refused.status).toBe(400)
  expect(refused.body.toString()).toContain('"param":"input"')
})

test('a strict request is refused if something in it would be lost', async () => {
  await using cohere = await openCohere(answerVectors, ['embed'])
  const headers = { 'x-headgate-strict': '1' }
  const call = cohere.client.embeddings.create({ model: 'embed', input: 'a', user: 'u' }, { headers })
  expect(await refusalOf(call)).toMatchObject({ status: 400, param: 'user' })
})

test('the compatible endpoint gets the request unchanged', async () => {
  const reply = { object: 'list', data: [{ object: 'embedding', index: 0, embedding: [1] }], model: 'embed' }
  await using cohere = await openCohere(() => jsonAnswer(reply), ['embed'], 'format: chat')
  const body = { model: 'embed', input: ['a'], encoding_format: 'float' }
  const answer = await ask({ url: cohere.url, format: 'embeddings' }, body)
  expect(answer.status).toBe(200)
  expect(cohere.upstream.requests[0]?.path).toBe('/compatibility/v1/embeddings')
  expect(cohere.sent(0)).toEqual(body)
})
