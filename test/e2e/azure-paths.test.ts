import { AzureOpenAI, OpenAI } from 'openai'
import { describe, expect, it } from 'vitest'
import { fieldsOf } from '../support/judged.ts'
import { type OpenGateway, openGateway } from '../support/open-gateway.ts'
import { jsonAnswer, type RecordedRequest, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const completion = {
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1,
  model: 'upstream-name',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 3, completion_tokens: 1, total_tokens: 4 },
}
const chunks = ['Hel', 'lo'].map((content, index) => ({
  id: 'chatcmpl-1',
  object: 'chat.completion.chunk',
  created: 1,
  model: 'upstream-name',
  choices: [{ index: 0, delta: { content }, finish_reason: index === 1 ? 'stop' : null }],
}))
const stream: ScriptedAnswer = {
  headers: { 'content-type': 'text/event-stream' },
  chunks: [...chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`), 'data: [DONE]\n\n'],
}
const vectors = {
  object: 'list',
  model: 'upstream-name',
  data: [{ object: 'embedding', index: 0, embedding: [0.5, 0.25] }],
  usage: { prompt_tokens: 2, total_tokens: 2 },
}

/** An upstream with OpenAI's own paths, which knows neither deployments nor `api-version`. */
function answerStrictly({ path, body, headers }: RecordedRequest): ScriptedAnswer {
  if (headers['api-key'] !== undefined) return jsonAnswer({ error: { message: 'unknown header' } }, 400)
  const { model, stream: isStream } = fieldsOf(JSON.parse(body.toString()))
  if (model !== 'm') return jsonAnswer({ error: { message: 'no such model' } }, 404)
  if (path === '/v1/embeddings') return jsonAnswer(vectors, 200)
  if (path !== '/v1/chat/completions') return jsonAnswer({ error: { message: 'no such path' } }, 404)
  return isStream === true ? stream : jsonAnswer(completion, 200)
}

const open = () => openGateway({ scripts: [answerStrictly] })

function azureOf({ gateway }: OpenGateway, options: { apiKey?: string; deployment?: string } = {}) {
  return new AzureOpenAI({
    endpoint: gateway.url,
    apiKey: testKey,
    apiVersion: '2024-10-21',
    maxRetries: 0,
    ...options,
  })
}

const messages = [{ role: 'user' as const, content: 'Hi' }]

describe("the OpenAI SDK's client for Azure", () => {
  it('gets a whole answer from its deployment, whichever model the body names', async () => {
    await using opened = await open()
    const client = azureOf(opened, { deployment: 'm' })
    const answer = await client.chat.completions.create({ model: 'another', messages })
    expect(answer.choices[0]?.message.content).toBe('Hello')
  })

  it('gets a stream', async () => {
    await using opened = await open()
    const answer = await azureOf(opened).chat.completions.create({ model: 'm', messages, stream: true })
    const parts: string[] = []
    for await (const chunk of answer) parts.push(chunk.choices[0]?.delta.content ?? '')
    expect(parts.join('')).toBe('Hello')
  })

  it('gets vectors', async () => {
    await using opened = await open()
    const answer = await azureOf(opened).embeddings.create({
      model: 'm',
      input: 'Hi',
      encoding_format: 'float',
    })
    expect(answer.data[0]?.embedding).toEqual([0.5, 0.25])
  })

  it('gets the list of models from a path without a deployment', async () => {
    await using opened = await open()
    const models = await azureOf(opened).models.list()
    expect(models.data.map(({ id }) => id)).toEqual(['m'])
  })

  it.each([
    ['of a deployment that is not there', { deployment: 'other' }, 404, 'model_not_found'],
    ['of a wrong key', { apiKey: 'sk-wrong-0123456789abcdef' }, 401, 'invalid_api_key'],
  ])("reads the error %s in OpenAI's form", async (_what, options, status, code) => {
    await using opened = await open()
    const asking = azureOf(opened, options).chat.completions.create({ model: 'm', messages })
    await expect(asking).rejects.toMatchObject({ status, code, error: { code } })
    expect(opened.upstreams[0]?.requests).toEqual([])
  })
})

describe("Azure's paths", () => {
  const ask = (opened: OpenGateway, path: string, body: string, key = testKey) =>
    fetch(`${opened.gateway.url}${path}`, {
      method: 'POST',
      headers: { 'api-key': key, 'content-type': 'application/json' },
      body,
    })

  it.each([
    ['has no model', '{"messages":[{"role":"user","content":"Hi"}]}', 200, undefined],
    ['is empty but for its braces', '{}', 400, 'missing_field'],
    ['is no JSON', '{"messages":', 400, 'invalid_json'],
    ['is a list', '[]', 400, 'body_not_object'],
  ])('accept a body that %s', async (_what, body, status, code) => {
    await using opened = await open()
    const path = '/openai/deployments/m/chat/completions?api-version=2024-02-01'
    const answer = await ask(opened, path, body)
    const error = fieldsOf(fieldsOf(await answer.json())['error'] ?? {})
    expect([answer.status, error['code']]).toEqual([status, code])
  })

  it('accept OpenAI’s client at /openai/v1', async () => {
    await using opened = await open()
    const client = new OpenAI({ baseURL: `${opened.gateway.url}/openai/v1`, apiKey: testKey, maxRetries: 0 })
    const answer = await client.chat.completions.create({ model: 'm', messages })
    expect(answer.choices[0]?.message.content).toBe('Hello')
  })

  it('report a path below a deployment that is not served', async () => {
    await using opened = await open()
    const answer = await ask(opened, '/openai/deployments/m/messages', '{}')
    expect([answer.status, fieldsOf(fieldsOf(await answer.json())['error'])['code']]).toEqual([
      404,
      'path_not_found',
    ])
  })
})
