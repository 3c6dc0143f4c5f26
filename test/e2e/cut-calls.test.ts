import { type CallableTool, type GenerateContentResponse, GoogleGenAI } from '@google/genai'
import { Ollama } from 'ollama'
import { describe, expect, it } from 'vitest'
import { collect } from '../support/collect.ts'
import { anthropicOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const call = { id: 'c1', type: 'function', function: { name: 'f', arguments: '{"path":"/a' } }
const head = { id: 'c', created: 1, model: 'm' }

function whole(finishReason: string) {
  const message = { role: 'assistant', content: null, tool_calls: [call] }
  return jsonAnswer({ ...head, choices: [{ index: 0, message, finish_reason: finishReason }] })
}

/** A stream that ends with `[DONE]`, whether or not a finish reason precedes it. */
function streamed(finishReason: string | null) {
  const delta = { role: 'assistant', tool_calls: [{ index: 0, ...call }] }
  const chunk = { ...head, choices: [{ index: 0, delta, finish_reason: finishReason }] }
  return sseAnswer([`data: ${JSON.stringify(chunk)}\n\n`, 'data: [DONE]\n\n'])
}

const genaiOf = (baseUrl: string) => new GoogleGenAI({ apiKey: testKey, httpOptions: { baseUrl } })
const ollamaOf = (host: string) => new Ollama({ host, headers: { authorization: `Bearer ${testKey}` } })
const asked = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }
const cuts = ['length', 'content_filter']

describe.each(cuts)('a call that was cut off in an answer that ends with %s', (reason) => {
  it('is not run by the official client of Gemini', async () => {
    await using open = await openGateway({ scripts: [whole(reason)] })
    const runs: unknown[] = []
    const tool: CallableTool = {
      tool: () => Promise.resolve({ functionDeclarations: [{ name: 'f' }] }),
      callTool: (calls) => {
        runs.push(calls)
        return Promise.resolve([])
      },
    }
    const answer = await genaiOf(open.gateway.url).models.generateContent({
      model: 'm',
      contents: 'Hi',
      config: { tools: [tool] },
    })
    expect(runs).toEqual([])
    expect(answer.candidates?.[0]?.finishReason).toBe(reason === 'length' ? 'MAX_TOKENS' : 'SAFETY')
  })

  it('is not in a stream of the Gemini format', async () => {
    await using open = await openGateway({ scripts: [streamed(reason)] })
    const stream = await genaiOf(open.gateway.url).models.generateContentStream({
      model: 'm',
      contents: 'Hi',
    })
    const chunks: GenerateContentResponse[] = []
    for await (const chunk of stream) chunks.push(chunk)
    expect(chunks.flatMap(({ functionCalls }) => functionCalls ?? [])).toEqual([])
    expect(chunks.at(-1)?.candidates?.[0]?.finishReason).toBe(reason === 'length' ? 'MAX_TOKENS' : 'SAFETY')
  })

  it('is not in an answer to the official client of Ollama', async () => {
    await using open = await openGateway({ scripts: [[whole(reason), streamed(reason)]] })
    const answer = await ollamaOf(open.gateway.url).chat(asked)
    expect(answer.message.tool_calls ?? []).toEqual([])
    const calls: unknown[] = []
    for await (const { message } of await ollamaOf(open.gateway.url).chat({ ...asked, stream: true }))
      calls.push(...(message.tool_calls ?? []))
    expect(calls).toEqual([])
  })
})

describe('a call of the messages format that was cut off after its name, and has the empty input of its start', () => {
  const block = { type: 'tool_use', id: 'c1', name: 'f', input: {} }
  const message = { id: 'm1', type: 'message', role: 'assistant', model: 'm', content: [block] }
  const usage = { input_tokens: 1, output_tokens: 9 }
  const cut = { stop_reason: 'max_tokens', stop_sequence: null }
  const streamedCut = sseAnswer(
    [
      { type: 'message_start', message: { ...message, content: [], stop_reason: null, usage } },
      { type: 'content_block_start', index: 0, content_block: block },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: cut, usage },
      { type: 'message_stop' },
    ].map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
  )

  it.each([false, true])('is not in an answer to clients that run each call (stream: %s)', async (stream) => {
    const answer = stream ? streamedCut : jsonAnswer({ ...message, ...cut, usage })
    await using open = await openGateway({ format: 'messages', scripts: [answer] })
    const { models } = genaiOf(open.gateway.url)
    const question = { model: 'm', contents: 'Hi' }
    const parts = stream
      ? await collect(await models.generateContentStream(question))
      : [await models.generateContent(question)]
    expect(parts.flatMap(({ functionCalls }) => functionCalls ?? [])).toEqual([])
    const client = ollamaOf(open.gateway.url)
    const lines = stream ? await collect(await client.chat({ ...asked, stream })) : [await client.chat(asked)]
    expect(lines.flatMap((line) => line.message.tool_calls ?? [])).toEqual([])
    expect(lines.at(-1)?.done_reason).toBe('length')
  })
})

describe('a call that was cut off in an answer that claims to be complete', () => {
  it('is an error for callers who get calls whole', async () => {
    await using open = await openGateway({ scripts: [whole('stop')] })
    const refusal = { status: 502 }
    const { models } = genaiOf(open.gateway.url)
    expect(await refusalOf(models.generateContent({ model: 'm', contents: 'Hi' }))).toMatchObject(refusal)
    expect(await refusalOf(ollamaOf(open.gateway.url).chat(asked))).toMatchObject({ status_code: 502 })
    const request = { model: 'm', max_tokens: 9, messages: [{ role: 'user' as const, content: 'Hi' }] }
    expect(await refusalOf(anthropicOf(open).messages.create(request))).toMatchObject(refusal)
  })

  it.each(['stop', null])('ends a stream in an error, with the finish reason %s', async (reason) => {
    await using open = await openGateway({ scripts: [streamed(reason)] })
    const calls: unknown[] = []
    const read = async () => {
      const { models } = genaiOf(open.gateway.url)
      for await (const { functionCalls } of await models.generateContentStream({
        model: 'm',
        contents: 'Hi',
      }))
        calls.push(...(functionCalls ?? []))
    }
    expect(String(await refusalOf(read()))).toContain('arguments are not a JSON object')
    expect(calls).toEqual([])
  })
})
