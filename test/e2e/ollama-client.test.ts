import { type ChatResponse, Ollama } from 'ollama'
import { describe, expect, it } from 'vitest'
import { agentFormats, answerStrictly } from '../support/agent/speech.ts'
import { dotPicture, openWithText, openWithToolCall, sentBody, weatherTool } from '../support/client-scene.ts'
import { collect } from '../support/collect.ts'
import { answerEmbedding } from '../support/embedding-upstream.ts'
import { type OpenGateway, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { topology } from '../support/topology/topology.ts'

const model = 'm'
const messages = [{ role: 'user', content: 'Hi' }]

/** The official client of Ollama. */
function ollamaOf({ gateway }: OpenGateway, key = testKey): Ollama {
  return new Ollama({ host: gateway.url, headers: { authorization: `Bearer ${key}` } })
}

function post({ gateway }: OpenGateway, body: object, type = 'application/json'): Promise<Response> {
  const headers = { authorization: `Bearer ${testKey}`, 'content-type': type }
  return fetch(`${gateway.url}/api/chat`, { method: 'POST', headers, body: JSON.stringify(body) })
}

const { name, description, schema: parameters } = weatherTool
const weather = { type: 'function', function: { name, description, parameters } }

const textOf = (parts: readonly ChatResponse[]) => parts.map(({ message }) => message.content).join('')

describe.each(agentFormats)('the Ollama client on a channel of the %s format', (format) => {
  const openWith = (text: string) => openWithText(format, text)

  it('chat gets a whole answer with counts and durations', async () => {
    await using open = await openWith('Hello ✓')
    const answer = await ollamaOf(open).chat({ model, messages })
    expect(answer).toMatchObject({
      message: { role: 'assistant', content: 'Hello ✓' },
      done: true,
      done_reason: 'stop',
      prompt_eval_count: 11,
      eval_count: 3,
      load_duration: 0,
    })
    expect(answer.total_duration).toBeGreaterThan(0)
    expect(Date.parse(String(answer.created_at))).toBeGreaterThan(Date.parse('2020-01-01'))
  })

  it('chat streams lines in their order, the counts in the last one', async () => {
    await using open = await openWith('A longer answer that comes in pieces.')
    const parts = await collect(await ollamaOf(open).chat({ model, messages, stream: true }))
    expect(textOf(parts)).toBe('A longer answer that comes in pieces.')
    expect(parts.length).toBeGreaterThan(3)
    expect(parts.slice(0, -1).every(({ done }) => !done)).toBe(true)
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: 'stop', eval_count: 3 })
    expect(parts.at(-1)?.total_duration).toBeGreaterThan(0)
  })

  it.each([true, false])('chat calls a tool and returns its result (stream: %s)', async (stream) => {
    const words = 'It is 20 degrees in Wien.'
    await using open = await openWithToolCall(format, words)
    const client = ollamaOf(open)
    const tools = [weather]
    const asked = stream
      ? await collect(await client.chat({ model, messages, tools, stream }))
      : [await client.chat({ model, messages, tools })]
    const calls = asked.flatMap(({ message }) => message.tool_calls ?? [])
    expect(calls).toMatchObject([{ function: { name: 'weather', arguments: { city: 'Wien' } } }])
    const told = [
      ...messages,
      { role: 'assistant', content: '', tool_calls: calls },
      { role: 'tool', content: '20 degrees', tool_name: 'weather' },
    ]
    const answer = await client.chat({ model, messages: told, tools })
    expect(answer.message.content).toBe(words)
    expect(String(open.upstreams[0]?.requests[1]?.body)).toContain('20 degrees')
  })

  it('chat sends images, and the options that the channel has', async () => {
    await using open = await openWith('A dot.')
    const client = ollamaOf(open)
    const shown = [{ role: 'user', content: 'What is it?', images: [Buffer.from(dotPicture, 'base64')] }]
    const options = { num_predict: 50, temperature: 0.5, stop: ['END'] }
    await client.chat({ model, messages: shown, options })
    const sent = sentBody(open)
    expect(JSON.stringify(sent['messages'])).toContain('image/png')
    expect(JSON.stringify(sent['messages'])).toContain(dotPicture)
    expect(sent).toMatchObject({ temperature: 0.5 })
    expect(JSON.stringify(sent)).toContain('50')
  })

  it('generate answers a prompt, whole and as lines', async () => {
    await using open = await openWith('The sky is blue.')
    const client = ollamaOf(open)
    const asked = { model, prompt: 'Why?', system: 'Be brief.' }
    expect(await client.generate(asked)).toMatchObject({ response: 'The sky is blue.', eval_count: 3 })
    const parts = await collect(await client.generate({ ...asked, stream: true }))
    expect(parts.map(({ response }) => response).join('')).toBe('The sky is blue.')
    expect(parts.at(-1)).toMatchObject({ done: true, done_reason: 'stop' })
    expect(JSON.stringify(sentBody(open))).toContain('Be brief.')
  })

  it('abort ends the call upstream', async () => {
    await using open = await openGateway({
      format,
      scripts: [
        (request) => {
          const answer = answerStrictly(format, request, { text: 'one two three four five six' })
          return { ...answer, chunks: (answer.chunks ?? []).slice(0, 6), ending: 'hang' }
        },
      ],
    })
    const client = ollamaOf(open)
    const stream = await client.chat({ model, messages, stream: true })
    const reading = collect(stream)
    const request = await open.upstreams[0]?.request(0)
    stream.abort()
    await expect(reading).rejects.toThrow(/abort/i)
    await request?.closed
    expect(request?.abortedAtMs).toBeGreaterThan(0)
  })

  it('a truncated stream throws, and is never done', async () => {
    await using open = await openGateway({
      format,
      scripts: [
        (request) => {
          const answer = answerStrictly(format, request, { text: 'one two three four five six' })
          return { ...answer, chunks: (answer.chunks ?? []).slice(0, 6), ending: 'reset' }
        },
      ],
      more: 'retry: { attempts: 1 }\n',
    })
    const seen: ChatResponse[] = []
    const reading = async () => {
      for await (const part of await ollamaOf(open).chat({ model, messages, stream: true })) seen.push(part)
    }
    await expect(reading()).rejects.toThrow(/provider/)
    expect(seen.length).toBeGreaterThan(0)
    expect(seen.every(({ done }) => !done)).toBe(true)
  })
})

describe('the Ollama client', () => {
  it('gets reasoning apart from the text, and turns it off', async () => {
    const content = [
      { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
      { type: 'text', text: 'Yes.' },
    ]
    const usage = { input_tokens: 5, output_tokens: 4 }
    await using open = await openGateway({
      format: 'messages',
      provider: 'anthropic',
      upstreamModel: 'claude-sonnet-4-5',
      scripts: [
        jsonAnswer({
          id: 'm1',
          type: 'message',
          role: 'assistant',
          model,
          content,
          stop_reason: 'end_turn',
          usage,
        }),
      ],
    })
    const client = ollamaOf(open)
    const answer = await client.chat({ model, messages, think: 'low' })
    expect(answer.message).toMatchObject({ content: 'Yes.', thinking: 'Hm.' })
    await client.chat({ model, messages, think: false })
    expect(sentBody(open)).toHaveProperty('thinking.type', 'enabled')
    expect(sentBody(open, 1)['thinking']).not.toMatchObject({ type: 'enabled' })
  })

  it('gets structured output on channels of three formats', async () => {
    const properties = { n: { type: 'integer' } }
    const format = { type: 'object', properties, required: ['n'], additionalProperties: false }
    const parts = [{ text: '{"n":4}' }]
    await using open = await openGateway({
      format: 'gemini',
      scripts: [
        jsonAnswer({ candidates: [{ content: { parts, role: 'model' }, finishReason: 'STOP', index: 0 }] }),
      ],
    })
    const answer = await ollamaOf(open).chat({ model, messages, format })
    expect(JSON.parse(answer.message.content)).toEqual({ n: 4 })
    expect(sentBody(open)).toMatchObject({
      generationConfig: { responseMimeType: 'application/json' },
    })
    for (const agent of agentFormats) {
      await using other = await openGateway({
        format: agent,
        scripts: [(request) => answerStrictly(agent, request, { text: '{"n":4}' })],
      })
      expect((await ollamaOf(other).chat({ model, messages, format })).message.content).toBe('{"n":4}')
    }
  })

  it('streams from a Gemini channel', async () => {
    const frame = (text: string, more = {}) =>
      `data: ${JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }] })}\r\n\r\n`
    await using open = await openGateway({
      format: 'gemini',
      scripts: [sseAnswer([frame('Hel'), frame('lo', { finishReason: 'STOP' })])],
    })
    const parts = await collect(await ollamaOf(open).chat({ model, messages, stream: true }))
    expect(textOf(parts)).toBe('Hello')
  })

  it('embed and embeddings get vectors', async () => {
    await using open = await openGateway({
      provider: 'openai',
      scripts: [(request) => answerEmbedding(request)],
    })
    const client = ollamaOf(open)
    const many = await client.embed({ model, input: ['a', 'bb'] })
    expect(many).toMatchObject({
      embeddings: [
        [3, expect.any(Number), -0.5],
        [4, expect.any(Number), -0.5],
      ],
    })
    expect(many.prompt_eval_count).toBe(6)
    expect((await client.embed({ model, input: 'a' })).embeddings).toHaveLength(1)
    expect((await client.embeddings({ model, prompt: 'a' })).embedding).toHaveLength(3)
  })

  it('list, show, ps and version work', async () => {
    await using open = await openGateway({ scripts: [jsonAnswer({})], models: ['other'] })
    const client = ollamaOf(open)
    const { models } = await client.list()
    expect(models.map(({ name }) => name)).toEqual(['m', 'other'])
    expect(await client.show({ model })).toMatchObject({
      capabilities: expect.arrayContaining(['completion', 'tools']),
    })
    expect(await client.ps()).toEqual({ models: [] })
    expect((await client.version()).version).toMatch(/^\d+\.\d+\.\d+$/)
    expect(await refusalOf(client.show({ model: 'none' }))).toMatchObject({ status_code: 404 })
  })

  it('is limited, priced and billed like any other caller', async () => {
    await using open = await openGateway({
      upstreamModel: 'gpt-4o',
      provider: 'openai',
      scripts: [(request) => answerStrictly('chat', request, { text: 'Hi.' })],
      more: `keys: [{ name: a, secret: ${testKey}, models: ["*"], rate: { rpm: 100 }, budgets: [{ limit_usd: 1, window: day, mode: exact }] }]\n`,
    })
    const answer = await post(open, {
      model,
      messages,
      stream: false,
      keep_alive: '5m',
      options: { num_ctx: 9 },
    })
    expect(answer.status).toBe(200)
    const share = topology === 'one process' ? 100 : 50
    expect(answer.headers.get('x-ratelimit-limit-requests')).toBe(String(share))
    expect(Number(answer.headers.get('x-headgate-cost'))).toBeGreaterThan(0)
    const loss = answer.headers.get('x-headgate-loss')
    expect(loss).toContain('foreign-field(keep_alive)=dropped')
    expect(loss).toContain('foreign-field(options.num_ctx)=dropped')
    // Another process may have served the request.
    const readMetrics = async () => (await fetch(`${open.gateway.url}/metrics`)).text()
    await expect.poll(readMetrics).toMatch(/headgate_requests_total\{[^}]*format="ollama-chat"[^}]*\} 1/)
  })

  it('is served without a JSON content type, as curl sends it', async () => {
    await using open = await openGateway({
      scripts: [(request) => answerStrictly('chat', request, { text: 'Hi.' })],
    })
    const answer = await post(open, { model, messages, stream: false }, 'text/plain')
    expect([answer.status, await answer.json()]).toMatchObject([200, { message: { content: 'Hi.' } }])
  })

  it('gets errors as a text and a status', async () => {
    await using open = await openGateway({
      scripts: [jsonAnswer({ error: { message: 'slow down' } }, 429)],
      more: 'retry: { attempts: 1 }\n',
    })
    const client = ollamaOf(open)
    expect(await refusalOf(client.chat({ model, messages }))).toMatchObject({ status_code: 429 })
    expect(await refusalOf(client.chat({ model: 'none', messages }))).toMatchObject({
      status_code: 404,
      message: expect.stringContaining('"none"'),
    })
    expect(await refusalOf(ollamaOf(open, 'wrong-key-0123456789').list())).toMatchObject({ status_code: 401 })
    expect(await refusalOf(client.generate({ model, prompt: '' }))).toMatchObject({ status_code: 400 })
    expect(await refusalOf(client.chat({ model, messages: [] }))).toMatchObject({ status_code: 400 })
    expect(await refusalOf(client.pull({ model }))).toMatchObject({ status_code: 404 })
  })
})

it('a client detects that the gateway is running, without a key', async () => {
  await using open = await openWithText('chat', 'Hi')
  const answer = await fetch(open.gateway.url)
  expect([answer.status, await answer.text()]).toEqual([200, 'Ollama is running'])
  expect((await fetch(open.gateway.url, { method: 'HEAD' })).status).toBe(200)
})

it('the root page in a browser says what runs at this address', async () => {
  await using open = await openWithText('chat', 'Hi')
  const answer = await fetch(open.gateway.url, { headers: { accept: 'text/html,*/*;q=0.8' } })
  expect(await answer.text()).toMatch(/^Headgate is running\./)
})
