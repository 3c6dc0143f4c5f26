import { describe, expect, it } from 'vitest'
import { fieldsOf, listOf } from '../support/judged.ts'
import { jsonAnswer, openScriptedUpstream, type UpstreamHandler } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

const inputs = 600
const dimensions = 1_536
const vector = Array.from({ length: dimensions }, (_, at) => (at % 128) / 128)
const packed = Buffer.from(Float32Array.from(vector).buffer).toString('base64')
const texts = Array.from({ length: inputs }, (_, at) => `text ${at}`)

/** Answers with as many vectors as were asked for, in the words of the path. */
const answerVectors: UpstreamHandler = ({ path, body }) => {
  const asked = fieldsOf(JSON.parse(body.toString()))
  if (path.includes('batchEmbedContents'))
    return jsonAnswer({ embeddings: listOf(asked['requests']).map(() => ({ values: vector })) })
  if (path.includes('/embed'))
    return path.includes('/v2/')
      ? jsonAnswer({ id: 'e', embeddings: { float: listOf(asked['texts']).map(() => vector) } })
      : jsonAnswer({
          object: 'list',
          model: 'm',
          data: listOf(asked['input']).map((_, index) => ({
            object: 'embedding',
            index,
            embedding: asked['encoding_format'] === 'base64' ? packed : vector,
          })),
          usage: { prompt_tokens: 1, total_tokens: 1 },
        })
  return jsonAnswer({
    predictions: listOf(asked['instances']).map(() => ({ embeddings: { values: vector } })),
  })
}

async function open(provider: string, base: string) {
  const upstream = await openScriptedUpstream(answerVectors)
  const gateway = await startGateway(`
channels:
  - { name: c, provider: ${provider}, base_url: "${upstream.origin}${base}", allow_private: true, api_key: k-0123456789, models: [m] }
models: { m: { max_embedding_inputs: 2048 } }
retry: { attempts: 1 }
`)
  return {
    url: gateway.url,
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      await upstream[Symbol.asyncDispose]()
    },
  }
}

describe(`${inputs} vectors of ${dimensions} numbers`, () => {
  it.each([
    ['openai-compatible', '/v1', 'float'],
    ['openai-compatible', '/v1', 'base64'],
    ['ollama', '/v1', 'base64'],
    ['cohere', '', 'float'],
    ['gemini', '/v1beta', 'float'],
    ['gemini', '/v1beta', 'base64'],
  ])('of a channel of %s%s reach the caller as %s', async (provider, base, encoding) => {
    await using gateway = await open(provider, base)
    const answer = await fetch(`${gateway.url}/v1/embeddings`, {
      method: 'POST',
      headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', input: texts, encoding_format: encoding }),
    })
    const { data = [] } = fieldsOf(await answer.json())
    expect({ status: answer.status, count: listOf(data).length }).toEqual({ status: 200, count: inputs })
    const last = fieldsOf(listOf(data).at(-1))
    expect(last['embedding']).toEqual(encoding === 'base64' ? packed : vector)
  })
})
