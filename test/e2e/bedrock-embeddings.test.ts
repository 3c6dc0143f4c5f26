import OpenAI from 'openai'
import { afterEach, expect, it } from 'vitest'
import { loadCases } from '../support/corpus.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import {
  type BedrockCall,
  bedrockRegion,
  bedrockToken,
  openFakeBedrock,
  refuse,
} from '../support/open-fake-bedrock.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

let cleanup = new AsyncDisposableStack()
afterEach(async () => {
  await cleanup.disposeAsync()
  cleanup = new AsyncDisposableStack()
})

async function open(models: readonly string[], answer: (call: BedrockCall) => ScriptedAnswer) {
  const calls: BedrockCall[] = []
  const { origin } = cleanup.use(
    await openFakeBedrock((call) => {
      calls.push(call)
      return answer(call)
    }),
  )
  const gateway = cleanup.use(
    await startGateway(`
channels:
  - name: b
    provider: bedrock
    base_url: ${origin}
    allow_private: true
    credentials: { region: ${bedrockRegion}, api_key: ${bedrockToken} }
    models: ${JSON.stringify(models)}
retry: { attempts: 1 }
`),
  )
  return { calls, client: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 }) }
}

const titan = 'amazon.titan-embed-text-v2:0'
const firstTitan = 'amazon.titan-embed-text-v1'
const cohere = 'us.cohere.embed-v4:0'
const nova = 'amazon.nova-2-multimodal-embeddings-v1:0'

it('Titan is called once for each text, and the vectors come in order with the sum of the tokens', async () => {
  const { calls, client } = await open([titan, firstTitan], ({ body }) =>
    jsonAnswer({ embedding: [String(fieldsOf(body)['inputText']).length, 0.5], inputTextTokenCount: 2 }),
  )
  const { data, usage, model } = await client.embeddings.create({
    model: titan,
    input: ['a', 'bb', 'ccc'],
    dimensions: 256,
  })
  expect(data.map(({ embedding }) => embedding)).toEqual([
    [1, 0.5],
    [2, 0.5],
    [3, 0.5],
  ])
  expect([usage.prompt_tokens, model]).toEqual([6, titan])
  expect(calls.map(({ operation, body }) => [operation, body])).toEqual([
    ['invoke', { inputText: 'a', dimensions: 256 }],
    ['invoke', { inputText: 'bb', dimensions: 256 }],
    ['invoke', { inputText: 'ccc', dimensions: 256 }],
  ])
  await client.embeddings.create({ model: firstTitan, input: 'a', dimensions: 256 })
  expect(calls[3]?.body).toEqual({ inputText: 'a' })
})

it('Cohere is called once for all texts, without the model’s name', async () => {
  const { calls, client } = await open([cohere], () => jsonAnswer({ embeddings: { float: [[1], [2]] } }))
  const { data } = await client.embeddings.create({ model: cohere, input: ['a', 'b'], dimensions: 512 })
  expect(data.map(({ embedding }) => embedding)).toEqual([[1], [2]])
  expect(calls[0]?.body).toEqual({
    input_type: 'search_document',
    texts: ['a', 'b'],
    embedding_types: ['float'],
    output_dimension: 512,
  })
})

it('Nova gets the purpose of its vectors', async () => {
  const { calls, client } = await open([nova], () =>
    jsonAnswer({ embeddings: [{ embeddingType: 'TEXT', embedding: [1, 2] }] }),
  )
  const { data } = await client.embeddings.create({ model: nova, input: 'a' })
  expect(data[0]?.embedding).toEqual([1, 2])
  expect(calls[0]?.body).toEqual({
    taskType: 'SINGLE_EMBEDDING',
    singleEmbeddingParams: {
      embeddingPurpose: 'GENERIC_INDEX',
      text: { truncationMode: 'NONE', value: 'a' },
    },
  })
})

it('tokens of another model are refused, and errors are reported by their kind', async () => {
  const { client } = await open([titan], () => refuse(429, 'ThrottlingException', 'Too many requests.'))
  expect(fieldsOf(await refusalOf(client.embeddings.create({ model: titan, input: [1, 2] })))['status']).toBe(
    400,
  )
  expect(fieldsOf(await refusalOf(client.embeddings.create({ model: titan, input: 'a' })))['status']).toBe(
    429,
  )
})

const recorded = loadCases({
  api: 'bedrock.invoke',
  where: ({ file }) => file.includes('embed') || file.includes('cohere-v4'),
})

it.skipIf(recorded === undefined)('recorded vectors are returned unchanged', async () => {
  const cases = (recorded ?? []).filter(({ request }) => /embed/.test(request?.path ?? ''))
  expect(cases.length).toBeGreaterThan(2)
  for (const { request, response } of cases) {
    const model = decodeURIComponent(/model\/([^/]+)/.exec(request?.path ?? '')?.[1] ?? '')
    const sent = fieldsOf(request?.body)
    const input =
      sent['inputText'] === undefined ? listOf(sent['texts']).map(String) : String(sent['inputText'])
    const { client } = await open([model], () => jsonAnswer(response.body))
    const { data } = await client.embeddings.create({ model, input, encoding_format: 'float' })
    const answer = fieldsOf(response.body)
    const expected =
      answer['embedding'] === undefined ? fieldsOf(answer['embeddings'])['float'] : [answer['embedding']]
    expect(data.map(({ embedding }) => embedding)).toEqual(expected)
  }
})
