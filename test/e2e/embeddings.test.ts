import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { answerEmbedding, type EncodingHabit, inputsOf, vectorOf } from '../support/embedding-upstream.ts'
import { createGate } from '../support/gate.ts'
import { fieldsOf } from '../support/judged.ts'
import { type OpenGateway, openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, openScriptedUpstream, type RecordedRequest } from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { upstreamError } from '../support/upstream-error.ts'

const honest = (request: RecordedRequest) => answerEmbedding(request)
const limit = 'models: { m: { max_embedding_inputs: 2 } }\nretry: { same_target: 0 }\n'
const bodyOf = (open: OpenGateway, index = 0, upstream = 0) =>
  fieldsOf(JSON.parse(open.upstreams[upstream]?.requests[index]?.body.toString() ?? '{}'))
const countOf = (open: OpenGateway) => open.upstreams.map(({ requests }) => requests.length)

/** One channel of this provider, whose upstream treats `encoding_format` so. */
async function openChannel(provider: string, habit: EncodingHabit) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream((request) => answerEmbedding(request, habit)))
  const channel = `{ name: c, provider: ${provider}, base_url: "${upstream.origin}/v1", allow_private: true, api_key: sk-upstream-0123456789, models: [m] }`
  const gateway = cleanup.use(await startGateway(`channels: [${channel}]\n`))
  const open = cleanup.move()
  const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
  return { upstream, client, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

describe('the OpenAI SDK requesting embeddings', () => {
  it.each([
    ['a text', 'Hi'],
    ['texts', ['one', 'two', 'three']],
    ['tokens', [1, 2, 3]],
    ['lists of tokens', [[1, 2], [3]]],
  ])('of %s gets its vectors and their usage, in base64 that it decodes itself', async (_what, input) => {
    await using open = await openGateway({ scripts: [honest] })
    const answer = await openaiOf(open).embeddings.create({ model: 'm', input, dimensions: 3, user: 'u-1' })
    const inputs = inputsOf({ body: open.upstreams[0]?.requests[0]?.body ?? Buffer.alloc(0) })
    expect(answer.data.map(({ embedding, index }) => [[...embedding], index])).toEqual(
      inputs.map((each, index) => [vectorOf(each), index]),
    )
    expect(answer.usage).toEqual({ prompt_tokens: 3 * inputs.length, total_tokens: 3 * inputs.length })
    expect(answer.model).toBe('upstream-name')
    expect(bodyOf(open)).toEqual({ model: 'm', input, dimensions: 3, user: 'u-1', encoding_format: 'base64' })
  })

  it('as numbers gets numbers', async () => {
    await using open = await openGateway({ scripts: [honest] })
    const answer = await openaiOf(open).embeddings.create({
      model: 'm',
      input: 'Hi',
      encoding_format: 'float',
    })
    expect(answer.data[0]?.embedding).toEqual(vectorOf('Hi'))
    expect(bodyOf(open)['encoding_format']).toBe('float')
  })

  it.each([
    ['openai-compatible', 'honours', 'base64'],
    ['openai-compatible', 'ignores', 'base64'],
    ['ollama', 'ignores', 'float'],
    ['ollama', 'refuses', 'float'],
  ] as const)(
    'gets the same vectors from a channel of %s that %s base64, which gets a request for %s',
    async (provider, habit, asked) => {
      await using open = await openChannel(provider, habit)
      const raw = await open.client.embeddings.create({
        model: 'm',
        input: ['one', 'two'],
        encoding_format: 'base64',
      })
      expect(raw.data.every(({ embedding }) => typeof embedding === 'string')).toBe(true)
      const decoded = await open.client.embeddings.create({ model: 'm', input: ['one', 'two'] })
      expect(decoded.data.map(({ embedding }) => [...embedding])).toEqual([vectorOf('one'), vectorOf('two')])
      expect(
        open.upstream.requests.map(({ body }) => fieldsOf(JSON.parse(body.toString()))['encoding_format']),
      ).toEqual([asked, asked])
    },
  )

  it.each([
    ['voyage', 'float', {}],
    ['voyage', 'base64', { encoding_format: 'base64' }],
    ['mistral', 'float', {}],
    ['mistral', 'base64', {}],
  ] as const)(
    'gets vectors of the length that it wants from a channel of %s, which has another name for it, in %s',
    async (provider, encoding_format, encoding) => {
      await using open = await openChannel(provider, 'honours')
      const answer = await open.client.embeddings.create({
        model: 'm',
        input: ['one', 'two'],
        dimensions: 3,
        user: 'u-1',
        encoding_format,
      })
      const vectors = answer.data.map(({ embedding }) => embedding)
      const isPacked = vectors.map((vector) => typeof vector === 'string')
      expect(isPacked).toEqual([encoding_format === 'base64', encoding_format === 'base64'])
      if (encoding_format === 'float') expect(vectors).toEqual([vectorOf('one'), vectorOf('two')])
      const [request] = open.upstream.requests
      expect(JSON.parse(String(request?.body))).toEqual({
        model: 'm',
        input: ['one', 'two'],
        output_dimension: 3,
        ...encoding,
      })
    },
  )

  it('gets the demo model from a fresh start', async () => {
    await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
    const answer = await client.embeddings.create({
      model: 'demo-embed',
      input: ['sun and moon', 'moon and sun', 'tax law'],
    })
    const [first = [], second = [], third = []] = answer.data.map(({ embedding }) => embedding)
    const near = (left: readonly number[], right: readonly number[]) =>
      left.reduce((sum, value, at) => sum + value * (right[at] ?? 0), 0)
    expect(near(first, second)).toBeGreaterThan(0.99)
    expect(near(first, third)).toBeLessThan(0.5)
  })
})

describe('embeddings of more inputs than one call may contain', () => {
  const input = ['a', 'bb', 'ccc', 'dddd', 'eeeee']

  it('are sent in several calls and joined in order, with the sum of their usage', async () => {
    await using open = await openGateway({ scripts: [honest], more: limit })
    const { data: answer, response } = await openaiOf(open)
      .embeddings.create({ model: 'm', input, user: 'u-1' })
      .withResponse()
    expect(answer.data.map(({ embedding, index }) => [[...embedding], index])).toEqual(
      input.map((each, index) => [vectorOf(each), index]),
    )
    expect(answer.usage).toEqual({ prompt_tokens: 15, total_tokens: 15 })
    expect(answer.model).toBe('upstream-name')
    expect(response.headers.get('x-headgate-attempts')).toBe('1')
    expect([0, 1, 2].map((index) => bodyOf(open, index))).toEqual(
      [input.slice(0, 2), input.slice(2, 4), 'eeeee'].map((part) => ({
        model: 'm',
        input: part,
        user: 'u-1',
        encoding_format: 'base64',
      })),
    )
  })

  it('move to another target as a whole if a call in the middle fails: no answer mixes two', async () => {
    const failing = (request: RecordedRequest, index: number) =>
      index === 1 ? upstreamError('chat', 500) : answerEmbedding(request)
    const other = (request: RecordedRequest) => {
      const [first] = inputsOf(request)
      const data = inputsOf(request).map((_each, index) => ({ object: 'embedding', index, embedding: [9] }))
      return jsonAnswer({
        object: 'list',
        data,
        model: `other of ${first}`,
        usage: { prompt_tokens: 1, total_tokens: 1 },
      })
    }
    await using open = await openGateway({ scripts: [failing, other], more: limit })
    const answer = await openaiOf(open).embeddings.create({ model: 'm', input, encoding_format: 'float' })
    expect(answer.data.map(({ embedding }) => embedding)).toEqual(input.map(() => [9]))
    expect(answer.usage.prompt_tokens).toBe(3)
    expect(countOf(open)).toEqual([2, 3])
  })

  it('end if a call in the middle finds a fault in the request', async () => {
    const failing = (request: RecordedRequest, index: number) =>
      index === 1 ? upstreamError('chat', 400, { message: 'Input 1 is too long.' }) : answerEmbedding(request)
    await using open = await openGateway({ scripts: [failing, honest], more: limit })
    const refusal = await refusalOf(openaiOf(open).embeddings.create({ model: 'm', input }))
    expect(refusal).toBeInstanceOf(OpenAI.BadRequestError)
    expect(String(refusal)).toContain('Input 1 is too long.')
    expect(countOf(open)).toEqual([2, 0])
  })

  it('are refused once the first call shows that the whole answer would exceed the memory limit', async () => {
    const wide = (request: RecordedRequest) => {
      const data = inputsOf(request).map((_each, index) => ({
        object: 'embedding',
        index,
        embedding: 'A'.repeat(400_000),
      }))
      return jsonAnswer({ object: 'list', data, model: 'm' })
    }
    await using open = await openGateway({ scripts: [wide], more: limit })
    const many = Array.from({ length: 400 }, (_, index) => String(index))
    const refusal = await refusalOf(openaiOf(open).embeddings.create({ model: 'm', input: many }))
    expect(refusal).toMatchObject({ status: 413, code: 'request_too_large', param: 'input' })
    expect(String(refusal)).toContain('400 inputs')
    expect(countOf(open)).toEqual([1])
  })

  it('may exceed the limit of other answers, and are refused above the memory limit', async () => {
    const data = (index: number, megabytes: number) =>
      `{"object":"embedding","index":${index},"embedding":[${'0.1234567890123456,'.repeat(megabytes * 55_000)}1]}`
    const wide = (megabytes: number) => ({
      status: 200,
      headers: { 'content-type': 'application/json' },
      chunks: [`{"object":"list","model":"m","data":[${data(0, megabytes)},${data(1, megabytes)}]}`],
    })
    await using open = await openGateway({ scripts: [(_request, index) => wide(index === 0 ? 35 : 70)] })
    const { embeddings } = openaiOf(open)
    const asked = { model: 'm', input: ['a', 'b'], encoding_format: 'float' as const }
    expect((await embeddings.create(asked)).data[1]?.embedding).toHaveLength(35 * 55_000 + 1)
    const refusal = await refusalOf(embeddings.create(asked))
    expect(refusal).toMatchObject({ status: 413, code: 'request_too_large', param: 'input' })
  })

  it('are cancelled when the caller disconnects, and the call in progress is closed', async () => {
    const gate = createGate()
    const hanging = (request: RecordedRequest, index: number) =>
      index === 1 ? { ...answerEmbedding(request), chunks: [gate.opened] } : answerEmbedding(request)
    await using open = await openGateway({ scripts: [hanging], more: limit })
    const leaving = new AbortController()
    const refused = refusalOf(
      openaiOf(open).embeddings.create({ model: 'm', input }, { signal: leaving.signal }),
    )
    const second = await open.upstreams[0]?.request(1)
    leaving.abort()
    expect(await refused).toBeInstanceOf(OpenAI.APIUserAbortError)
    await second?.closed
    gate.open()
    expect(second?.abortedAtMs).toBeDefined()
    expect(countOf(open)).toEqual([2])
  })
})

describe('unavailable embeddings', () => {
  it.each([
    ['too few vectors', { object: 'list', data: [{ index: 0, embedding: [1] }], model: 'm' }],
    ['no vectors', { object: 'list', data: [], model: 'm' }],
    [
      'a vector that is none',
      {
        object: 'list',
        data: [
          { index: 0, embedding: [1] },
          { index: 1, embedding: null },
        ],
        model: 'm',
      },
    ],
  ])('since the upstream sent %s, are a 502 of the chat format', async (_what, body) => {
    await using open = await openGateway({ scripts: [jsonAnswer(body)], more: 'retry: { attempts: 1 }\n' })
    const refusal = await refusalOf(openaiOf(open).embeddings.create({ model: 'm', input: ['one', 'two'] }))
    expect(refusal).toBeInstanceOf(OpenAI.InternalServerError)
    expect(refusal).toMatchObject({
      status: 502,
      type: 'api_error',
      code: expect.stringMatching(/^upstream_(bad_response|empty)$/),
    })
  })

  it.each([
    [400, 400],
    [401, 502],
    [404, 502],
    [429, 429],
  ])('since the upstream answers %i, are a %i', async (status, expected) => {
    await using open = await openGateway({
      scripts: [upstreamError('chat', status)],
      more: 'retry: { attempts: 1 }\n',
    })
    const refusal = await refusalOf(openaiOf(open).embeddings.create({ model: 'm', input: 'Hi' }))
    expect(refusal).toMatchObject({ status: expected })
    expect(String(refusal).includes('Upstream words.')).toBe(expected === 400)
  })

  it('of a channel of the messages format, are refused by name, and no provider is called', async () => {
    await using open = await openGateway({ format: 'messages', scripts: [honest] })
    const refusal = await refusalOf(openaiOf(open).embeddings.create({ model: 'm', input: 'Hi' }))
    expect(refusal).toBeInstanceOf(OpenAI.BadRequestError)
    expect(refusal).toMatchObject({
      code: 'operation_not_supported',
      param: 'model',
      type: 'invalid_request_error',
    })
    expect(countOf(open)).toEqual([0])
  })

  it('of a channel of the messages format, come from the next channel that offers them', async () => {
    await using open = await openGateway({ format: ['messages', 'chat'], scripts: [honest, honest] })
    const answer = await openaiOf(open).embeddings.create({ model: 'm', input: 'Hi' })
    expect([...(answer.data[0]?.embedding ?? [])]).toEqual(vectorOf('Hi'))
    expect(countOf(open)).toEqual([0, 1])
  })

  it('of a failing channel beside one that offers none, are reported as that failure', async () => {
    const plan = { format: ['messages', 'chat'] as const, scripts: [honest, upstreamError('chat', 500)] }
    await using open = await openGateway({ ...plan, more: 'retry: { same_target: 0 }\n' })
    const refusal = await refusalOf(openaiOf(open).embeddings.create({ model: 'm', input: 'Hi' }))
    expect(refusal).toMatchObject({ status: 502, code: 'upstream_error' })
  })

  it.each([
    [{ model: 'm' }, 'missing_field', 'input'],
    [{ model: 'm', input: [] }, 'invalid_field', 'input'],
    [{ input: 'Hi' }, 'missing_field', 'model'],
  ])('for %j, name the fault', async (body, code, param) => {
    await using open = await openGateway({ scripts: [honest] })
    const answer = await ask({ url: open.gateway.url, format: 'embeddings' }, body)
    expect(answer.status).toBe(400)
    expect(JSON.parse(answer.body.toString())).toMatchObject({ error: { code, param } })
  })
})

describe('embeddings of a channel that counts no tokens', () => {
  it('have an estimate as their usage, which the clients of the format require', async () => {
    await using open = await openGateway({
      format: 'gemini',
      scripts: [jsonAnswer({ embeddings: [{ values: [0.5] }] })],
    })
    const { usage } = await openaiOf(open).embeddings.create({ model: 'm', input: 'one two '.repeat(100) })
    expect(usage.prompt_tokens).toBeGreaterThan(100)
    expect(usage.total_tokens).toBe(usage.prompt_tokens)
  })
})

describe('large embeddings', () => {
  it('of 2,048 inputs of 2 KB are sent in one call, byte for byte', async () => {
    await using open = await openGateway({ scripts: [honest] })
    const input = Array.from({ length: 2_048 }, (_, index) => `${index} ${'x'.repeat(2_000)}`)
    const answer = await openaiOf(open).embeddings.create({ model: 'm', input })
    expect(answer.data).toHaveLength(2_048)
    expect(answer.data.at(-1)?.index).toBe(2_047)
    expect(countOf(open)).toEqual([1])
  })
})
