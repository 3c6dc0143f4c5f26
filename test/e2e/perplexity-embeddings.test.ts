import OpenAI from 'openai'
import { expect, it } from 'vitest'
import { fieldsOf, listOf } from '../support/judged.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'

/** Answers as the service does: one signed byte a number, whatever is asked for. */
async function openPerplexity() {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openScriptedUpstream(({ body }) => {
      const data = listOf(fieldsOf(JSON.parse(body.toString()))['input']).map((_text, index) => ({
        object: 'embedding',
        index,
        embedding: Buffer.from([index, 127, 128, 255]).toString('base64'),
      }))
      const usage = { prompt_tokens: 3, total_tokens: 3 }
      return jsonAnswer({ object: 'list', data, model: 'pplx-embed-v1-0.6b', usage })
    }),
  )
  const gateway = cleanup.use(
    await startGateway(`
channels:
  - { name: p, provider: perplexity, base_url: "${upstream.origin}", allow_private: true, api_key: k }
`),
  )
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  const open = cleanup.move()
  return { client, upstream, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

it.each(['float', 'base64', undefined] as const)(
  'vectors of Perplexity are numbers for the official client that requests %s',
  async (encoding_format) => {
    await using opened = await openPerplexity()
    const { data, response } = await opened.client.embeddings
      .create({
        model: 'pplx-embed-v1-0.6b',
        input: ['one', 'two'],
        ...(encoding_format === undefined ? {} : { encoding_format }),
      })
      .withResponse()
    const vectors = data.data.map(({ embedding }) => embedding)
    const numbers = [
      [0, 127, -128, -1],
      [1, 127, -128, -1],
    ]
    expect(encoding_format === 'base64' ? vectors.map(decode) : vectors).toEqual(numbers)
    expect(data.usage.prompt_tokens).toBe(3)
    expect(response.headers.get('x-headgate-model')).toBe('pplx-embed-v1-0.6b')
    const [request] = opened.upstream.requests
    expect(request?.path).toBe('/v1/embeddings')
    expect(JSON.parse(String(request?.body))).toEqual({
      model: 'pplx-embed-v1-0.6b',
      input: ['one', 'two'],
      encoding_format: 'base64_int8',
    })
  },
)

function decode(vector: unknown): readonly number[] {
  const bytes = Buffer.from(String(vector), 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, index) => bytes.readFloatLE(index * 4))
}
