import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI } from '@google/genai'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { askGemini } from '../support/ask-gemini.ts'
import { createGate } from '../support/gate.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { startGateway, testKey } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const say = (parts: readonly object[], more: object = {}) => ({
  candidates: [{ content: { parts, role: 'model' }, index: 0, finishReason: 'STOP', ...more }],
  usageMetadata: { promptTokenCount: 3, candidatesTokenCount: 2, totalTokenCount: 5 },
  modelVersion: 'gemini-3-flash',
  responseId: 'r1',
})
const signed = { functionCall: { name: 'look', args: { city: 'Wien' } }, thoughtSignature: 'c2lnMQ==' }
const beside = { functionCall: { name: 'look', args: { city: 'Rom' } } }
const ids = ['call_r1_0', 'call_r1_1'] as const

/** Calls two tools, one of them signed; once it has the results, it answers. */
function answerAsAgent({ body }: RecordedRequest) {
  const contents = listOf(fieldsOf(JSON.parse(body.toString()))['contents'])
  return jsonAnswer(say(contents.length === 1 ? [signed, beside] : [{ text: 'Both are sunny.' }]))
}

function channel(origin: string, more = 'models: [gemini-3-flash]'): string {
  return `channels: [{ name: g, provider: gemini, base_url: ${origin}/v1beta, allow_private: true, api_key: k, ${more} }]\n`
}

/** The request that the provider got in the second round. */
function secondRound(requests: readonly RecordedRequest[]) {
  const { contents } = JSON.parse(requests[1]?.body.toString() ?? '{}')
  return contents.map((content: { role: string; parts: readonly object[] }) => [content.role, content.parts])
}

/** The calls as the provider made them, each with the id under which the caller answered. */
const returned = [
  'model',
  [
    { ...signed, functionCall: { ...signed.functionCall, id: ids[0] } },
    { functionCall: { ...beside.functionCall, id: ids[1] } },
  ],
]

describe('a round of tools on a channel of Gemini', () => {
  it('returns the signature from the official client of chat', async () => {
    await using upstream = await openScriptedUpstream(answerAsAgent)
    await using gateway = await startGateway(channel(upstream.origin))
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
    const tools = [{ type: 'function' as const, function: { name: 'look', parameters: { type: 'object' } } }]
    const ask = { model: 'gemini-3-flash', tools, messages: [{ role: 'user' as const, content: 'Weather?' }] }
    const { choices } = await client.chat.completions.create(ask)
    const message = choices[0]?.message
    if (message === undefined) throw new Error('no message')
    expect(message.tool_calls?.map(({ id }) => id)).toEqual(ids)
    const results = ids.map((id) => ({ role: 'tool' as const, tool_call_id: id, content: 'sunny' }))
    const second = await client.chat.completions.create({
      ...ask,
      messages: [...ask.messages, message, ...results],
    })
    expect(second.choices[0]?.message.content).toBe('Both are sunny.')
    expect(secondRound(upstream.requests)[1]).toEqual(returned)
  })

  it('returns the signature from the official client of messages', async () => {
    await using upstream = await openScriptedUpstream(answerAsAgent)
    await using gateway = await startGateway(channel(upstream.origin))
    const client = new Anthropic({ baseURL: gateway.url, apiKey: testKey, maxRetries: 0 })
    const tools = [{ name: 'look', input_schema: { type: 'object' as const } }]
    const ask = { model: 'gemini-3-flash', max_tokens: 64, tools }
    const user = { role: 'user' as const, content: 'Weather?' }
    const first = await client.messages.create({ ...ask, messages: [user] })
    expect(first.stop_reason).toBe('tool_use')
    const results = ids.map((id) => ({ type: 'tool_result' as const, tool_use_id: id, content: 'sunny' }))
    const assistant = { role: 'assistant' as const, content: first.content }
    const messages = [user, assistant, { role: 'user' as const, content: results }]
    const second = await client.messages.create({ ...ask, messages })
    expect(second.content).toMatchObject([{ type: 'text', text: 'Both are sunny.' }])
    expect(secondRound(upstream.requests)[1]).toEqual(returned)
  })

  it('returns the signature from the official client of responses', async () => {
    await using upstream = await openScriptedUpstream(answerAsAgent)
    await using gateway = await startGateway(channel(upstream.origin))
    const client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: testKey, maxRetries: 0 })
    const tools = [{ type: 'function' as const, name: 'look', parameters: { type: 'object' }, strict: false }]
    const user = { role: 'user' as const, content: 'Weather?' }
    const ask = { model: 'gemini-3-flash', tools, store: false }
    const first = await client.responses.create({ ...ask, input: [user] })
    const results = ids.map((id) => ({
      type: 'function_call_output' as const,
      call_id: id,
      output: 'sunny',
    }))
    const output = first.output.filter((item) => item.type === 'reasoning' || item.type === 'function_call')
    const second = await client.responses.create({ ...ask, input: [user, ...output, ...results] })
    expect(second.output_text).toBe('Both are sunny.')
    expect(secondRound(upstream.requests)[1]).toEqual(returned)
  })
})

describe('a channel of Gemini', () => {
  it('lists its models by their bare names, and sends the key in its own header for that', async () => {
    needsOneProcess('each process asks for the models by itself')
    const models = [{ name: 'models/gemini-3-flash' }, { name: 'models/gemini-2.5-pro' }]
    await using upstream = await openScriptedUpstream(({ path }) =>
      path.includes(':') ? jsonAnswer(say([{ text: 'Hi' }])) : jsonAnswer({ models }),
    )
    await using gateway = await startGateway(channel(upstream.origin, 'models: "*"'))
    expect(await askGemini(gateway.url)('gemini-2.5-pro', false)).toMatchObject({ text: 'Hi' })
    const asked = upstream.requests.map(({ path, headers }) => [path, headers['x-goog-api-key']])
    expect(asked).toEqual([
      ['/v1beta/models?pageSize=1000', 'k'],
      ['/v1beta/models/gemini-2.5-pro:generateContent', 'k'],
    ])
  })

  it('of the compatible endpoint is called below its path, with the key as a token', async () => {
    needsOneProcess('each process asks for the models by itself')
    const answer = {
      id: 'c',
      object: 'chat.completion',
      created: 1,
      model: 'm',
      choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
    }
    await using upstream = await openScriptedUpstream(({ method }) =>
      jsonAnswer(method === 'GET' ? { data: [{ id: 'models/gemini-3-flash' }] } : answer),
    )
    await using gateway = await startGateway(channel(upstream.origin, 'format: chat, models: "*"'))
    expect(await askGemini(gateway.url)('gemini-3-flash', false)).toMatchObject({ text: 'Hi' })
    const asked = upstream.requests.map(({ path, headers }) => [path, headers.authorization])
    expect(asked).toEqual([
      ['/v1beta/openai/models', 'Bearer k'],
      ['/v1beta/openai/chat/completions', 'Bearer k'],
    ])
    expect(upstream.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual([undefined, undefined])
  })

  it('is skipped if its key is refused, even though the status is that of an invalid request', async () => {
    const error = {
      code: 400,
      status: 'INVALID_ARGUMENT',
      message: 'API key not valid. Please pass a valid API key.',
      details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: 'API_KEY_INVALID' }],
    }
    await using upstream = await openScriptedUpstream(({ headers }) =>
      headers['x-goog-api-key'] === 'bad' ? jsonAnswer({ error }, 400) : jsonAnswer(say([{ text: 'Hi' }])),
    )
    const position = `provider: gemini, base_url: ${upstream.origin}/v1beta, allow_private: true, models: [m]`
    await using gateway = await startGateway(`
channels:
  - { name: bad, priority: 2, api_key: bad, ${position} }
  - { name: good, priority: 1, api_key: good, ${position} }
`)
    expect(await askGemini(gateway.url)('m', false)).toMatchObject({ text: 'Hi' })
    expect(upstream.requests.map(({ headers }) => headers['x-goog-api-key'])).toEqual(['bad', 'good'])
  })

  it('may be silent before it answers: the official client ignores the keep-alive data', async () => {
    const gate = createGate()
    const chunk = (text: string, more?: object) => `data: ${JSON.stringify(say([{ text }], more))}\r\n\r\n`
    await using upstream = await openScriptedUpstream(
      sseAnswer([gate.opened, chunk('Hel', { finishReason: undefined }), chunk('lo')]),
    )
    await using gateway = await startGateway(
      `${channel(upstream.origin)}heartbeat: { after: 20ms, every: 20ms }\n`,
    )
    const client = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: gateway.url } })
    // The status is out with the first sign of life, long before the first chunk.
    const stream = await client.models.generateContentStream({ model: 'gemini-3-flash', contents: 'Hi' })
    gate.open()
    let text = ''
    for await (const { text: piece } of stream) text += piece ?? ''
    expect(text).toBe('Hello')
  })

  it('is kept alive by blank lines, since the clients for Python and Go read every other line as data', async () => {
    const gate = createGate()
    await using upstream = await openScriptedUpstream(
      sseAnswer([gate.opened, `data: ${JSON.stringify(say([{ text: 'Hi' }]))}\r\n\r\n`]),
    )
    await using gateway = await startGateway(
      `${channel(upstream.origin)}heartbeat: { after: 20ms, every: 20ms }\n`,
    )
    const body = JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] })
    const answer = await fetch(`${gateway.url}/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse`, {
      method: 'POST',
      headers: { 'x-goog-api-key': testKey, 'content-type': 'application/json' },
      body,
    })
    // The status is out with the first heartbeat.
    gate.open()
    const lines = (await answer.text()).split(/\r?\n/)
    const data = lines.findIndex((line) => line.startsWith('data: '))
    expect(data).toBeGreaterThan(0)
    expect(lines.toSpliced(data, 1).join('')).toBe('')
  })

  it('keeps the conversations of its callers, which are distinguished by their first turns', async () => {
    await using upstream = await openScriptedUpstream(jsonAnswer(say([{ text: 'Hi' }])))
    const position = `provider: gemini, allow_private: true, models: [m]`
    const channels = ['a', 'b'].map(
      (name) =>
        `  - { name: ${name}, api_key: ${name}, base_url: ${upstream.origin}/${name}/v1beta, ${position} }\n`,
    )
    await using gateway = await startGateway(`channels:\n${channels.join('')}`)
    const client = new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl: gateway.url } })
    const user = (text: string) => ({ role: 'user', parts: [{ text }] })
    const served = new Set<string>()
    for (const topic of Array.from({ length: 16 }, (_, index) => `topic ${index}`)) {
      const before = upstream.requests.length
      const turns = [user(topic), { role: 'model', parts: [{ text: 'Hi' }] }, user('And?')]
      await client.models.generateContent({ model: 'm', contents: turns.slice(0, 1) })
      await client.models.generateContent({ model: 'm', contents: turns })
      const [first, second] = upstream.requests.slice(before).map(({ path }) => path)
      expect(second).toBe(first)
      served.add(first ?? '')
    }
    expect(served.size).toBe(2)
  })

  it('refuses a field that leads to other models, unless the channel allows it', async () => {
    await using upstream = await openScriptedUpstream(jsonAnswer(say([{ text: 'Hi' }])))
    const ask = async (url: string, config: object) => {
      const answer = await fetch(`${url}/v1beta/models/gemini-3-flash:generateContent`, {
        method: 'POST',
        headers: { 'x-goog-api-key': testKey, 'content-type': 'application/json' },
        body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], ...config }),
      })
      await answer.text()
      return answer.status
    }
    const routed = { manualMode: { modelName: 'gemini-9-ultra' } }
    const allowing = 'models: [gemini-3-flash], allow_fields: [generationConfig.routingConfig]'
    await using strict = await startGateway(channel(upstream.origin))
    await using lenient = await startGateway(channel(upstream.origin, allowing))
    for (const config of [
      { generationConfig: { routingConfig: routed } },
      { generationConfig: { ROUTING_CONFIG: routed } },
      { generation_config: { routing_config: routed } },
    ]) {
      expect(await ask(strict.url, config)).toBe(400)
      expect(await ask(lenient.url, config)).toBe(200)
    }
    expect(await ask(strict.url, { generationConfig: { temperature: 1 } })).toBe(200)
    expect(upstream.requests).toHaveLength(4)
  })
})
