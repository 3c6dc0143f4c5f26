import { ApiError, FunctionCallingConfigMode, GoogleGenAI, type Part } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { openWithText, openWithToolCall, weatherCall, weatherTool } from '../support/client-scene.ts'
import { collect } from '../support/collect.ts'
import { answerEmbedding } from '../support/embedding-upstream.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { type OpenGateway, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const model = 'm'
const contents = 'Hi'

/** Google's official client, as it asks for the Gemini API. */
function genaiOf({ gateway }: OpenGateway, apiKey = testKey, apiVersion = 'v1beta'): GoogleGenAI {
  return new GoogleGenAI({
    apiKey,
    apiVersion,
    httpOptions: { baseUrl: gateway.url, retryOptions: { attempts: 1 } },
  })
}

const { name, description, schema: parametersJsonSchema } = weatherTool
const weather = { name, description, parametersJsonSchema }
const tools = [{ functionDeclarations: [weather] }]

/** A chunk, or a whole answer, of an upstream that speaks the format. */
function answerOf(parts: readonly object[], more: object = {}) {
  return {
    candidates: [{ content: { parts, role: 'model' }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 2, totalTokenCount: 9 },
    modelVersion: 'gemini-9',
    responseId: 'r1',
  }
}

const frame = (value: object) => `data: ${JSON.stringify(value)}\r\n\r\n`

describe.each(agentFormats)('Google’s SDK on a channel of the %s format', (format) => {
  const openWith = (text: string) => openWithText(format, text)

  it.each(['v1beta', 'v1', 'v1alpha'])('gets a whole answer with usage, by %s', async (version) => {
    await using open = await openWith('Hello ✓')
    const answer = await genaiOf(open, testKey, version).models.generateContent({ model, contents })
    expect(answer.text).toBe('Hello ✓')
    expect(answer.candidates?.[0]?.finishReason).toBe('STOP')
    expect(answer.usageMetadata).toMatchObject({ promptTokenCount: 11, totalTokenCount: 14 })
  })

  it('streams chunks in their order', async () => {
    await using open = await openWith('A longer answer that comes in pieces.')
    const chunks = await collect(await genaiOf(open).models.generateContentStream({ model, contents }))
    expect(chunks.length).toBeGreaterThan(2)
    expect(chunks.map(({ text }) => text ?? '').join('')).toBe('A longer answer that comes in pieces.')
    expect(chunks.at(-1)?.usageMetadata).toMatchObject({ totalTokenCount: 14 })
  })

  it('runs a chat in which a tool is called and its result returned', async () => {
    const words = 'It is 20 degrees in Wien.'
    await using open = await openWithToolCall(format, words)
    const chat = genaiOf(open).chats.create({
      model,
      config: { tools, systemInstruction: 'Be brief.', temperature: 0.5 },
    })
    const asked = await chat.sendMessage({ message: 'How warm is Wien?' })
    const [called] = asked.functionCalls ?? []
    expect(called).toMatchObject({ name: 'weather', args: { city: 'Wien' } })
    const result: Part = {
      functionResponse: { id: called?.id ?? '', name: 'weather', response: { output: '20 degrees' } },
    }
    const reported = await chat.sendMessageStream({ message: [result] })
    const text = (await collect(reported)).map((chunk) => chunk.text ?? '').join('')
    expect(text).toBe(words)
    const sent = JSON.parse((await open.upstreams[0]?.request(1))?.body.toString() ?? '')
    expect(JSON.stringify(sent)).toContain('20 degrees')
    expect(sent.tools).toHaveLength(1)
  })

  it('makes the model call one of its tools', async () => {
    await using open = await openGateway({
      format,
      scripts: [(request) => answerStrictly(format, request, { calls: [weatherCall] })],
    })
    const mode = FunctionCallingConfigMode.ANY
    const toolConfig = { functionCallingConfig: { mode, allowedFunctionNames: ['weather'] } }
    await genaiOf(open).models.generateContent({ model, contents, config: { tools, toolConfig } })
    const sent = JSON.parse((await open.upstreams[0]?.request(0))?.body.toString() ?? '')
    const named = { type: 'function', function: { name: 'weather' } }
    expect(sent.tool_choice).toEqual(format === 'chat' ? named : { type: 'tool', name: 'weather' })
  })

  it('counts tokens', async () => {
    await using open = await openWith('unasked')
    const { totalTokens } = await genaiOf(open).models.countTokens({ model, contents: 'one two three' })
    expect(totalTokens).toBeGreaterThan(2)
    expect(open.upstreams[0]?.requests).toHaveLength(0)
  })

  it('can disconnect in the middle of a stream', async () => {
    await using open = await openGateway({
      format,
      scripts: [
        async (request) => {
          const answer = answerStrictly(format, request, { text: 'one two three four five six' })
          return { ...answer, chunks: (answer.chunks ?? []).slice(0, 6), ending: 'hang' }
        },
      ],
    })
    const leaving = new AbortController()
    const config = { abortSignal: leaving.signal }
    const stream = await genaiOf(open).models.generateContentStream({ model, contents, config })
    await stream.next()
    leaving.abort()
    await expect(collect(stream)).rejects.toThrow()
    const request = await open.upstreams[0]?.request(0)
    await request?.closed
    expect(request?.abortedAtMs).toBeGreaterThan(0)
  })
})

describe('Google’s SDK on a channel of its own format', () => {
  it('sends its bytes unchanged, and the model in the path', async () => {
    await using open = await openGateway({
      format: 'gemini',
      scripts: [jsonAnswer(answerOf([{ text: 'Hello' }], { finishReason: 'STOP' }))],
    })
    const config = { labels: { team: 'a' }, topK: 3 }
    const answer = await genaiOf(open).models.generateContent({ model, contents, config })
    expect([answer.text, answer.modelVersion]).toEqual(['Hello', 'gemini-9'])
    const request = await open.upstreams[0]?.request(0)
    expect(request?.path).toBe('/v1beta/models/m:generateContent')
    expect(request?.headers['x-goog-api-key']).toBe('sk-upstream-0123456789abcdef')
  })

  it('streams the channel’s stream', async () => {
    await using open = await openGateway({
      format: 'gemini',
      scripts: [
        sseAnswer([
          frame(answerOf([{ text: 'Hel' }])),
          frame(answerOf([{ text: 'lo' }], { finishReason: 'STOP' })),
        ]),
      ],
    })
    const chunks = await collect(await genaiOf(open).models.generateContentStream({ model, contents }))
    expect(chunks.map(({ text }) => text)).toEqual(['Hel', 'lo'])
    expect((await open.upstreams[0]?.request(0))?.path).toBe('/v1beta/models/m:streamGenerateContent?alt=sse')
  })

  it('has its tokens counted by the provider', async () => {
    await using open = await openGateway({ format: 'gemini', scripts: [jsonAnswer({ totalTokens: 31 })] })
    expect(await genaiOf(open).models.countTokens({ model, contents })).toMatchObject({ totalTokens: 31 })
    expect((await open.upstreams[0]?.request(0))?.path).toBe('/v1beta/models/m:countTokens')
  })

  it('gets the provider’s vectors, with the provider’s model in every entry', async () => {
    await using open = await openGateway({
      format: 'gemini',
      scripts: [jsonAnswer({ embeddings: [{ values: [1, 2] }, { values: [3, 4] }] })],
    })
    const { embeddings } = await genaiOf(open).models.embedContent({ model, contents: ['a', 'b'] })
    expect(embeddings?.map(({ values }) => values)).toEqual([
      [1, 2],
      [3, 4],
    ])
    const request = await open.upstreams[0]?.request(0)
    expect(request?.path).toBe('/v1beta/models/m:batchEmbedContents')
    const { requests } = JSON.parse(request?.body.toString() ?? '')
    expect(requests.map((entry: { model: string }) => entry.model)).toEqual(['models/m', 'models/m'])
  })
})

describe('Google’s SDK', () => {
  it('gets vectors of a channel of the chat format', async () => {
    await using open = await openGateway({ scripts: [(request) => answerEmbedding(request)] })
    const { embeddings } = await genaiOf(open).models.embedContent({ model, contents: ['a', 'b'] })
    expect(embeddings).toHaveLength(2)
  })

  it.each([
    ['a wrong key', 'sk-wrong-0123456789abcdef', model, 401, 'UNAUTHENTICATED'],
    ['a model that is not there', testKey, 'nowhere', 404, 'NOT_FOUND'],
  ])('raises its own error for %s', async (_what, key, name, status, word) => {
    await using open = await openGateway({ scripts: [{}] })
    const call = genaiOf(open, key).models.generateContent({ model: name, contents })
    const error = await refusalOf(call)
    if (!(error instanceof ApiError)) throw error
    expect(error.status).toBe(status)
    expect(JSON.parse(error.message)).toMatchObject({ error: { code: status, status: word } })
  })

  it('raises its own error if a stream breaks off', async () => {
    await using open = await openGateway({
      format: 'gemini',
      scripts: [sseAnswer([frame(answerOf([{ text: 'Hel' }]))], 'half-close')],
    })
    const seen: (string | undefined)[] = []
    const reading = (async () => {
      const stream = await genaiOf(open).models.generateContentStream({ model, contents })
      for await (const { text } of stream) seen.push(text)
    })()
    expect(await refusalOf(reading)).toBeInstanceOf(Error)
    expect(seen).toEqual(['Hel'])
  })

  it('lists models and finds one', async () => {
    await using open = await openGateway({ scripts: [{}], models: ['meta/llama:8b'] })
    const listed = await collect(await genaiOf(open).models.list())
    expect(listed.map(({ name }) => name).sort()).toEqual(['models/m', 'models/meta/llama:8b'])
    expect(await genaiOf(open).models.get({ model: 'm' })).toMatchObject({ name: 'models/m' })
  })

  it.each(['v1beta', 'v1', 'v1alpha'])(
    'gets errors of lists, of models and of unknown paths in Google’s form, by %s',
    async (version) => {
      await using open = await openGateway({ scripts: [jsonAnswer({})] })
      const stranger = genaiOf(open, 'sk-unknown-0123456789', version)
      const client = genaiOf(open, testKey, version)
      const refusals = [
        [await refusalOf(stranger.models.list()), 'UNAUTHENTICATED'],
        [await refusalOf(stranger.models.get({ model })), 'UNAUTHENTICATED'],
        [await refusalOf(client.models.get({ model: 'none' })), 'NOT_FOUND'],
        [await refusalOf(client.tunings.get({ name: 'tunedModels/none' })), 'NOT_FOUND'],
      ] as const
      for (const [refusal, status] of refusals) {
        expect(refusal).toBeInstanceOf(ApiError)
        expect(String(refusal)).toContain(`"status":"${status}"`)
      }
    },
  )

  it('names models with slashes and colons', async () => {
    await using open = await openGateway({
      models: ['meta/llama:8b'],
      scripts: [(request) => answerStrictly('chat', request, { text: 'Hello' })],
    })
    const answer = await genaiOf(open).models.generateContent({ model: 'models/meta/llama:8b', contents })
    expect(answer.text).toBe('Hello')
  })
})

describe('Gemini’s paths', () => {
  const body = JSON.stringify({ contents: [{ parts: [{ text: 'Hi' }] }] })
  const post = ({ gateway }: OpenGateway, path: string, more: RequestInit = {}) =>
    fetch(`${gateway.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body,
      ...more,
    })

  it('stream a JSON array if the caller does not request events', async () => {
    await using open = await openGateway({
      scripts: [(request) => answerStrictly('chat', request, { text: 'A longer answer in pieces.' })],
    })
    const answer = await post(open, `/v1beta/models/m:streamGenerateContent?key=${testKey}`)
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    const chunks = listOf(await answer.json())
    expect(chunks.length).toBeGreaterThan(2)
    const texts = chunks.map((chunk) => {
      const content = fieldsOf(fieldsOf(listOf(fieldsOf(chunk)['candidates'])[0])['content'])
      return fieldsOf(listOf(content['parts'])[0])['text']
    })
    expect(texts.join('')).toBe('A longer answer in pieces.')
  })

  it('send a truncated array without its end, after the error', async () => {
    await using open = await openGateway({
      format: 'gemini',
      scripts: [sseAnswer([frame(answerOf([{ text: 'Hel' }]))], 'half-close')],
    })
    const answer = await post(open, `/v1beta/models/m:streamGenerateContent?key=${testKey}`)
    const seen = await readAll(answer)
    expect(seen.startsWith('[{"candidates"')).toBe(true)
    expect(seen).toContain('"error":{"code":502')
    expect(() => JSON.parse(seen)).toThrow()
    expect(Array.isArray(JSON.parse(`${seen}]`))).toBe(true)
  })

  it.each([
    ['no key', '/v1beta/models/m:generateContent', {}, 401, 'UNAUTHENTICATED'],
    ['a method that is not served', `/v1beta/models/m:predict?key=${testKey}`, {}, 404, 'NOT_FOUND'],
    ['a path that is not served', `/v1beta/corpora?key=${testKey}`, {}, 404, 'NOT_FOUND'],
    [
      'a body that is no JSON',
      `/v1beta/models/m:generateContent?key=${testKey}`,
      { body: '{' },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'a body without contents',
      `/v1beta/models/m:generateContent?key=${testKey}`,
      { body: '{}' },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'a field under a third spelling',
      `/v1beta/models/m:generateContent?key=${testKey}`,
      { body: '{"Contents":[]}' },
      400,
      'INVALID_ARGUMENT',
    ],
    [
      'another HTTP method',
      `/v1beta/models/m:generateContent?key=${testKey}`,
      { method: 'PUT' },
      405,
      'UNIMPLEMENTED',
    ],
    [
      'a method that is asked by GET',
      `/v1beta/models/m:generateContent?key=${testKey}`,
      { method: 'GET', body: null },
      405,
      'UNIMPLEMENTED',
    ],
  ])('report %s in Google’s form', async (_what, path, more, code, status) => {
    await using open = await openGateway({ scripts: [{}] })
    const answer = await post(open, path, more)
    expect(await answer.json()).toMatchObject({ error: { code, status, message: expect.any(String) } })
    expect(answer.status).toBe(code)
  })

  it('accept percent-encoded names', async () => {
    await using open = await openGateway({
      models: ['meta/llama'],
      scripts: [(request) => answerStrictly('chat', request, { text: 'Hello' })],
    })
    const answer = await post(open, `/v1beta/models/meta%2Fllama%3AgenerateContent?key=${testKey}`)
    expect([answer.status, answer.headers.get('x-headgate-model')]).toEqual([200, 'meta/llama'])
  })
})

/** All that comes before the connection breaks. */
async function readAll(answer: Response): Promise<string> {
  const decoder = new TextDecoder()
  let text = ''
  try {
    for await (const chunk of answer.body ?? []) text += decoder.decode(chunk, { stream: true })
  } catch {
    // The cut is what the test is about.
  }
  return text
}

it.each(['v1beta', 'v1'])('Google’s SDK learns that its batches are not served, by %s', async (version) => {
  await using open = await openWithText('chat', 'Hello')
  await expect(genaiOf(open, testKey, version).batches.list()).rejects.toMatchObject({ status: 404 })
})
