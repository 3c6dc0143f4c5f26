import { expect, it } from 'vitest'
import { openGateway } from '../support/open-gateway.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const vectors = { embedding: { values: [1] }, embeddings: [{ values: [1] }], totalTokens: 1 }
const parts = '[{"text":"Hi"}]'
const content = `"content":{"parts":${parts}}`
const contents = `"contents":[{"parts":${parts}}]`

/** The request that the upstream got for the model `m`, or the status and the code of the refusal. */
async function send(method: string, body: string): Promise<string> {
  await using open = await openGateway({ format: 'gemini', scripts: [jsonAnswer(vectors)] })
  const answer = await fetch(`${open.gateway.url}/v1beta/models/m:${method}`, {
    method: 'POST',
    headers: { 'x-goog-api-key': testKey, 'content-type': 'application/json' },
    body,
  })
  const requests = open.upstreams[0]?.requests ?? []
  if (answer.status !== 200) return `${answer.status}, ${requests.length} calls`
  return (await open.upstreams[0]?.request(0))?.body.toString() ?? ''
}

it.each([
  [
    'countTokens',
    `{"generateContentRequest":{"model":"b",${contents}}}`,
    `{"generateContentRequest":{"model":"models/m",${contents}}}`,
  ],
  [
    'countTokens',
    `{"generate_content_request":{${contents}},"model":"b"}`,
    `{"generate_content_request":{${contents},"model":"models/m"},"model":"models/m"}`,
  ],
  ['countTokens', `{${contents},"model":"b"}`, `{${contents},"model":"models/m"}`],
  [
    'batchEmbedContents',
    `{"requests":[{"model":"b",${content}}],"model":"b"}`,
    `{"requests":[{"model":"models/m",${content}}],"model":"models/m"}`,
  ],
  [
    'batchEmbedContents',
    `{"requests":[{"model":"models/m","embedContentConfig":{"model":"b"},${content}}]}`,
    `{"requests":[{"model":"models/m","embedContentConfig":{"model":"models/m"},${content}}]}`,
  ],
  [
    'batchEmbedContents',
    `{"requests": [{"model":"models/m", ${content}, "title": "a:\\"b\\\\"}]}`,
    `{"requests": [{"model":"models/m", ${content}, "title": "a:\\"b\\\\"}]}`,
  ],
  [
    'batchEmbedContents',
    `{"requests":[{"model":"b",${content},"seed":12345678901234567890}]}`,
    `{"requests":[{"model":"models/m",${content},"seed":12345678901234567890}]}`,
  ],
  [
    'embedContent',
    `{${content},"embed_content_config":{"model":"b"},"model":"b"}`,
    `{${content},"embed_content_config":{"model":"models/m"},"model":"models/m"}`,
  ],
  [
    'embedContent',
    `{${content}, "embedContentConfig": {"title":"t"}}`,
    `{${content}, "embedContentConfig": {"title":"t"}}`,
  ],
])(
  '%s has the model of its path in every place of the body that names a model: %s',
  async (method, body, expected) => {
    expect(await send(method, body)).toBe(expected)
  },
)

it.each([
  [
    'countTokens',
    `{"generateContentRequest":{${contents}},"generate_content_request":{"model":"b",${contents}}}`,
  ],
  ['countTokens', `{"generateContentRequest":{"Model":"b",${contents}}}`],
  ['countTokens', `{"generateContentRequest":{"model":"b","model":"a",${contents}}}`],
  ['countTokens', `{"generateContentRequest":{${contents},"generationConfig":{"routingConfig":{}}}}`],
  ['countTokens', `{"generate_content_request":{${contents},"generation_config":{"routing_config":{}}}}`],
  ['countTokens', `{"generateContentRequest":{${contents},"generationConfig":{},"generation_config":{}}}`],
  ['batchEmbedContents', `{"requests":[{"model":"b","model":"models/m",${content}}]}`],
  ['batchEmbedContents', `{"requests":[{"Model":"b","model":"models/m",${content}}]}`],
  ['batchEmbedContents', `{"requests":[{"MODEL":"b",${content}}]}`],
  ['batchEmbedContents', `{"requests":[{"mode\\u006c":"b","model":"models/m",${content}}]}`],
  ['batchEmbedContents', `{"requests":[{"embedContentConfig":{"Model":"b"},${content}}]}`],
  ['embedContent', `{${content},"embedContentConfig":{"MODEL":"b"}}`],
  ['embedContent', `{${content},"embedContentConfig":{"model":"b","model":"c"}}`],
  ['embedContent', `{${content},"embedContentConfig":{},"embed_content_config":{"model":"b"}}`],
])('%s is refused if another reader could read another model from its body: %s', async (method, body) => {
  expect(await send(method, body)).toBe('400, 0 calls')
})
