import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Anthropic from '@anthropic-ai/sdk'
import OpenAI, { toFile } from 'openai'
import { expect, test } from 'vitest'
import { ask } from '../support/ask.ts'
import { type FakeVertex, openFakeVertex, type VertexCall } from '../support/fake-vertex.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'
import { topology } from '../support/topology/topology.ts'

interface OpenVertex extends AsyncDisposable {
  readonly vertex: FakeVertex
  readonly gateway: StartedGateway
  readonly openai: OpenAI
  readonly anthropic: Anthropic
}

/** The gateway before a Vertex AI of our own, with the key of a service account in a file. */
async function open(
  answer: (call: VertexCall) => ScriptedAnswer,
  lines: readonly string[] = [],
): Promise<OpenVertex> {
  await using cleanup = new AsyncDisposableStack()
  const vertex = cleanup.use(await openFakeVertex(answer))
  const folder = mkdtempSync(join(tmpdir(), 'headgate-vertex-'))
  cleanup.defer(() => rmSync(folder, { recursive: true, force: true }))
  writeFileSync(join(folder, 'key.json'), vertex.keyFile)
  const channel = (name: string, format: string, models: string) => `
  - name: ${name}
    provider: vertex
    format: ${format}
    base_url: ${vertex.upstream.origin}
    allow_private: true
    credentials: { project: some-project, region: us-east5, service_account_file: key.json }
    models: ${models}
${lines.map((line) => `    ${line}\n`).join('')}`
  const gateway = cleanup.use(
    await startGateway(
      `channels:${channel('gemini', 'gemini', '[gemini-2.5-flash, text-embedding-005, gemini-embedding-001, gemini-embedding-2]')}${channel('claude', 'messages', '{ claude: claude-sonnet-4-5@20250929 }')}retry: { attempts: 1 }\n`,
      folder,
    ),
  )
  const open = cleanup.move()
  return {
    vertex,
    gateway,
    openai: new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 }),
    anthropic: new Anthropic({ baseURL: gateway.url, apiKey: testKey, maxRetries: 0 }),
    [Symbol.asyncDispose]: () => open.disposeAsync(),
  }
}

const message = {
  id: 'msg_vrtx_1',
  type: 'message',
  role: 'assistant',
  model: 'claude-sonnet-4-5-20250929',
  content: [{ type: 'text', text: 'Hello.' }],
  stop_reason: 'end_turn',
  stop_sequence: null,
  usage: { input_tokens: 9, output_tokens: 3 },
}
const content = {
  candidates: [{ content: { role: 'model', parts: [{ text: 'Hello.' }] }, finishReason: 'STOP' }],
  usageMetadata: { promptTokenCount: 9, candidatesTokenCount: 3, totalTokenCount: 12 },
  modelVersion: 'gemini-2.5-flash',
}
const hello = { messages: [{ role: 'user' as const, content: 'Hi' }] }

test('Claude answers its own clients at the path of its model, with the version but not the model in the body', async () => {
  await using opened = await open(() => jsonAnswer(message))
  const reply = await opened.anthropic.messages.create({ model: 'claude', max_tokens: 9, ...hello })
  expect(reply.content).toEqual(message.content)
  expect(opened.vertex.calls).toMatchObject([
    {
      project: 'some-project',
      region: 'us-east5',
      publisher: 'anthropic',
      model: 'claude-sonnet-4-5@20250929',
      method: 'rawPredict',
      query: '',
      body: { anthropic_version: 'vertex-2023-10-16', max_tokens: 9, ...hello },
    },
  ])
  expect(opened.vertex.calls[0]?.body).not.toHaveProperty('model')
})

test('a stream has its own path and is declared in the body as well', async () => {
  const events = [
    { type: 'message_start', message: { ...message, content: [] } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hello.' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { output_tokens: 3 },
    },
    { type: 'message_stop' },
  ]
  const frames = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`)
  await using opened = await open(() => sseAnswer(frames))
  const stream = opened.anthropic.messages.stream({ model: 'claude', max_tokens: 9, ...hello })
  expect(await stream.finalText()).toBe('Hello.')
  expect(opened.vertex.calls).toMatchObject([
    { method: 'streamRawPredict', query: '', body: { stream: true } },
  ])
})

test('a caller of another format reaches Claude by the same path', async () => {
  await using opened = await open(() => jsonAnswer(message))
  const reply = await opened.openai.chat.completions.create({ model: 'claude', ...hello })
  expect(reply.choices[0]?.message.content).toBe('Hello.')
  const [call] = opened.vertex.calls
  expect(call).toMatchObject({ method: 'rawPredict', body: { anthropic_version: 'vertex-2023-10-16' } })
  expect(call?.body).not.toHaveProperty('model')
})

test('betas that Vertex AI knows are forwarded, others are not, and the marker of beta requests has no meaning', async () => {
  await using opened = await open(() => jsonAnswer(message))
  const betas = ['context-1m-2025-08-07', 'prompt-caching-scope-2026-01-05', 'advanced-tool-use-2025-11-20']
  await opened.anthropic.beta.messages.create({ model: 'claude', max_tokens: 9, betas, ...hello })
  const [call] = opened.vertex.calls
  expect(call?.query).toBe('')
  expect(call?.request.headers['anthropic-beta']).toBe('context-1m-2025-08-07,tool-search-tool-2025-10-19')
})

test('tokens of Claude are counted at a separate path, with the model in the body', async () => {
  await using opened = await open(() => jsonAnswer({ input_tokens: 14 }))
  const count = await opened.anthropic.messages.countTokens({ model: 'claude', ...hello })
  expect(count.input_tokens).toBe(14)
  expect(opened.vertex.calls).toMatchObject([
    { model: 'count-tokens', method: 'rawPredict', body: { model: 'claude-sonnet-4-5@20250929' } },
  ])
})

test('Gemini answers callers of any format at Google’s path', async () => {
  await using opened = await open(({ method }) =>
    method === 'generateContent'
      ? jsonAnswer(content)
      : sseAnswer([`data: ${JSON.stringify(content)}\r\n\r\n`]),
  )
  const reply = await opened.openai.chat.completions.create({ model: 'gemini-2.5-flash', ...hello })
  expect(reply.choices[0]?.message.content).toBe('Hello.')
  const stream = opened.anthropic.messages.stream({ model: 'gemini-2.5-flash', max_tokens: 9, ...hello })
  expect(await stream.finalText()).toBe('Hello.')
  const google = {
    project: 'some-project',
    region: 'us-east5',
    publisher: 'google',
    model: 'gemini-2.5-flash',
  }
  expect(opened.vertex.calls).toMatchObject([
    { ...google, method: 'generateContent', query: '' },
    { ...google, method: 'streamGenerateContent', query: '?alt=sse' },
  ])
})

test('one token serves every channel of a file, and one fetch serves concurrent calls', async () => {
  needsOneProcess('each process fetches a token of its own')
  await using opened = await open(({ publisher }) => jsonAnswer(publisher === 'google' ? content : message))
  const models = ['claude', 'gemini-2.5-flash', 'claude', 'gemini-2.5-flash', 'claude']
  await Promise.all(models.map((model) => opened.openai.chat.completions.create({ model, ...hello })))
  expect(opened.vertex.calls).toHaveLength(5)
  expect(opened.vertex.tokenRequests()).toBe(1)
})

test('a refused token is replaced, and the caller sees nothing of it', async () => {
  await using opened = await open(() => jsonAnswer(message))
  await opened.openai.chat.completions.create({ model: 'claude', ...hello })
  opened.vertex.google.revoke()
  const reply = await opened.openai.chat.completions.create({ model: 'claude', ...hello })
  expect(reply.choices[0]?.message.content).toBe('Hello.')
  expect(opened.vertex.tokenRequests()).toBe(2)
})

test('credentials that Google refuses are the gateway’s fault, and the message has no secret', async () => {
  await using opened = await open(() => jsonAnswer(message))
  writeFileSync(
    join(opened.gateway.dataFolder, '..', 'key.json'),
    opened.vertex.keyFile.replace('key-1', 'key-2'),
  )
  const refused = await refusalOf(opened.openai.chat.completions.create({ model: 'claude', ...hello }))
  expect(refused).toMatchObject({ status: 502, code: 'upstream_credential' })
  expect(String(refused)).not.toMatch(/PRIVATE|eyJ/)
})

test('a token that an upstream answer quotes is removed from the gateway’s answer', async () => {
  await using opened = await open(({ request }) => {
    const message = `the token ${String(request.headers.authorization)} may not do this`
    return jsonAnswer({ type: 'error', error: { type: 'invalid_request_error', message } }, 400)
  })
  for (const client of [
    () => opened.anthropic.messages.create({ model: 'claude', max_tokens: 9, ...hello }),
    () => opened.openai.chat.completions.create({ model: 'claude', ...hello }),
  ]) {
    const refused = await refusalOf(client())
    expect(refused).toMatchObject({ status: 400 })
    expect(JSON.stringify(refused) + String(refused)).not.toContain('ya29')
  }
  expect(opened.vertex.google.issued.length).toBeLessThanOrEqual(topology === 'one process' ? 1 : 2)
})

test('text becomes vectors by predictions, with as many texts in a call as the model accepts', async () => {
  await using opened = await open(({ body, method }) => {
    const instances = Array.isArray(body['instances']) ? body['instances'] : []
    if (method === 'embedContent')
      return jsonAnswer({ embedding: { values: [0.5, 1] }, usageMetadata: { promptTokenCount: 4 } })
    const predictions = instances.map((_one, index) => ({
      embeddings: { values: [index, 0.5], statistics: { token_count: 2 } },
    }))
    return jsonAnswer({ predictions })
  })
  const embed = (model: string, more = {}) =>
    opened.openai.embeddings.create({ model, input: ['a', 'b'], encoding_format: 'float', ...more })
  const plain = await embed('text-embedding-005', { dimensions: 256 })
  expect(plain.data.map(({ embedding }) => embedding)).toEqual([
    [0, 0.5],
    [1, 0.5],
  ])
  expect(plain.usage.prompt_tokens).toBe(4)
  expect((await embed('gemini-embedding-001')).data).toHaveLength(2)
  expect((await embed('gemini-embedding-2')).usage.prompt_tokens).toBe(8)
  expect(opened.vertex.calls.map(({ model, method, body }) => [model, method, body])).toEqual([
    [
      'text-embedding-005',
      'predict',
      { instances: [{ content: 'a' }, { content: 'b' }], parameters: { outputDimensionality: 256 } },
    ],
    ['gemini-embedding-001', 'predict', { instances: [{ content: 'a' }] }],
    ['gemini-embedding-001', 'predict', { instances: [{ content: 'b' }] }],
    ['gemini-embedding-2', 'embedContent', { content: { parts: [{ text: 'a' }] } }],
    ['gemini-embedding-2', 'embedContent', { content: { parts: [{ text: 'b' }] } }],
  ])
})

test('the purpose of vectors is read from the field that other clients send', async () => {
  await using opened = await open(() =>
    jsonAnswer({ predictions: [{ embeddings: { values: [1], statistics: { token_count: 2 } } }] }),
  )
  const body = { model: 'text-embedding-005', input: 'a', task_type: 'RETRIEVAL_QUERY', user: 'u' }
  const answer = await ask({ url: opened.gateway.url, format: 'embeddings' }, body)
  expect(opened.vertex.calls[0]?.body).toEqual({
    instances: [{ content: 'a', task_type: 'RETRIEVAL_QUERY' }],
  })
  expect(answer.headers['x-headgate-loss']).toBe('end-user=dropped')
  const newer = await ask(
    { url: opened.gateway.url, format: 'embeddings' },
    { ...body, model: 'gemini-embedding-2' },
  )
  expect(newer.headers['x-headgate-loss']).toBe('end-user=dropped, foreign-field(task_type)=dropped')
})

test('Vertex AI creates images and transcribes speech with its models of Gemini', async () => {
  const parts = [{ text: 'Hello.' }, { inlineData: { mimeType: 'image/png', data: 'AAAA' } }]
  const reply = {
    candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }],
    usageMetadata: { promptTokenCount: 5, candidatesTokenCount: 9, totalTokenCount: 14 },
  }
  await using opened = await open(() => jsonAnswer(reply))
  const model = 'gemini-2.5-flash'
  const drawn = await opened.openai.images.generate({ model, prompt: 'a gate' })
  const file = await toFile(Buffer.alloc(100), 'a.wav', { type: 'audio/wav' })
  const heard = await opened.openai.audio.transcriptions.create({ model, file })
  expect([drawn.data?.[0]?.b64_json, heard.text]).toEqual(['AAAA', 'Hello.'])
  const asked = { project: 'some-project', publisher: 'google', model, method: 'generateContent' }
  expect(opened.vertex.calls).toMatchObject([asked, asked])
})
