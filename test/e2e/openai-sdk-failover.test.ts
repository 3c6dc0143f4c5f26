import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { answerStrictly } from '../support/agent/speech.ts'
import { collect } from '../support/collect.ts'
import { type GatewayPlan, openaiOf, openGateway, refusalOf, type Script } from '../support/open-gateway.ts'
import { htmlAnswer, jsonAnswer, type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user' as const, content: 'Hi' }]
const plain = { model: 'm', messages }
const streamed = { ...plain, stream: true as const }
const good: Script = (request) => answerStrictly('chat', request, { text: 'From the second.' })
const serverError = jsonAnswer({ error: { message: 'broken', type: 'server_error' } }, 500)
const chunk = (more: object) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...more })}\n\n`
const role = chunk({
  choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }],
})
const words = (content: string) => chunk({ choices: [{ index: 0, delta: { content }, finish_reason: null }] })
const errorFrame = `data: ${JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } })}\n\n`

/** A fault moves on to the next channel at once; short times, so that silence is found out quickly. */
const quick: Omit<GatewayPlan, 'scripts'> = {
  firstMore: 'timeouts: { headers: 700ms, first_content: 700ms, idle: 700ms }',
  more: 'retry: { same_target: 0 }\n',
}

describe('before the first content of an answer', () => {
  it.each<[string, ScriptedAnswer]>([
    ['an error status', serverError],
    ['a rate limit', jsonAnswer({ error: { message: 'slow down' } }, 429)],
    ['a refused credential', jsonAnswer({ error: { message: 'bad key' } }, 401)],
    ['a missing model', jsonAnswer({ error: { message: 'no such model', code: 'model_not_found' } }, 404)],
    ['a web page', htmlAnswer(200)],
    ['an answer that is not JSON', { headers: { 'content-type': 'application/json' }, chunks: ['{"id":'] }],
    ['an error in a good answer', jsonAnswer({ error: { message: 'broken', type: 'server_error' } })],
    ['a reset', { ending: 'reset' }],
  ])('%s moves a whole answer to the next channel', async (_case, answer) => {
    await using open = await openGateway({ ...quick, scripts: [answer, good] })
    const { data, response } = await openaiOf(open).chat.completions.create(plain).withResponse()
    expect(data.choices[0]?.message.content).toBe('From the second.')
    expect(response.headers.get('x-headgate-channel')).toBe('channel-2')
    expect(response.headers.get('x-headgate-attempts')).toBe('2')
  })

  it.each<[string, ScriptedAnswer]>([
    ['an error status', serverError],
    ['silence', { ending: 'silence' }],
    ['a status and then silence', sseAnswer([], 'hang')],
    ['an empty stream', sseAnswer([])],
    ['a role and then silence', sseAnswer([role], 'hang')],
    ['a role and then a reset', sseAnswer([role], 'reset')],
    ['a role and then the end', sseAnswer([role])],
    ['an error as the first event', sseAnswer([errorFrame])],
    ['an event that is not JSON', sseAnswer(['data: {"id":\n\n'])],
    ['a web page', htmlAnswer(200)],
  ])('%s moves a stream to the next channel', async (_case, answer) => {
    await using open = await openGateway({ ...quick, scripts: [answer, good] })
    const { data, response } = await openaiOf(open).chat.completions.create(streamed).withResponse()
    const chunks = await collect(data)
    expect(textOf(chunks)).toBe('From the second.')
    expect(chunks.filter(({ choices }) => choices[0]?.delta.role !== undefined)).toHaveLength(1)
    expect(response.headers.get('x-headgate-channel')).toBe('channel-2')
  })

  it('a channel that refuses connections is skipped', async () => {
    await using open = await openGateway({ ...quick, scripts: [good, good] })
    await open.upstreams[0]?.close()
    const { response } = await openaiOf(open).chat.completions.create(plain).withResponse()
    expect(response.headers.get('x-headgate-channel')).toBe('channel-2')
  })

  it('a fault of the request itself does not move to another channel', async () => {
    const refused = jsonAnswer({ error: { message: 'bad', type: 'invalid_request_error' } }, 400)
    await using open = await openGateway({ ...quick, scripts: [refused, good] })
    expect(await refusalOf(openaiOf(open).chat.completions.create(plain))).toBeInstanceOf(
      OpenAI.BadRequestError,
    )
    expect(open.upstreams[1]?.requests).toHaveLength(0)
  })

  it('a transient fault is retried once on the same channel', async () => {
    let asked = 0
    const script: Script = (request, index) => {
      asked += 1
      return index === 0 ? serverError : answerStrictly('chat', request, { text: 'Second time.' })
    }
    await using open = await openGateway({ scripts: [script] })
    const completion = await openaiOf(open).chat.completions.create(plain)
    expect(completion.choices[0]?.message.content).toBe('Second time.')
    expect(asked).toBe(2)
  })

  it('if every channel is rate limited, the caller gets a RateLimitError with the time to retry', async () => {
    const limited = {
      ...jsonAnswer({ error: { message: 'slow' } }, 429),
      headers: { 'content-type': 'application/json', 'retry-after': '9' },
    }
    const more = { ...limited, headers: { ...limited.headers, 'retry-after': '20' } }
    await using open = await openGateway({ ...quick, scripts: [limited, more] })
    const refusal = await refusalOf(openaiOf(open).chat.completions.create(streamed))
    expect(refusal).toBeInstanceOf(OpenAI.RateLimitError)
    if (refusal instanceof OpenAI.APIError) expect(refusal.headers?.get('retry-after')).toBe('9')
    expect(open.upstreams.map(({ requests }) => requests.length)).toEqual([1, 1])
  })

  it('a rate limit of one channel is not attributed to another that failed by itself', async () => {
    const limited = jsonAnswer({ error: { message: 'slow' } }, 429)
    await using open = await openGateway({ ...quick, scripts: [serverError, limited] })
    const refusal = await refusalOf(openaiOf(open).chat.completions.create(streamed))
    expect(refusal).toBeInstanceOf(OpenAI.InternalServerError)
    expect(String(refusal)).toContain('2 targets were asked: upstream_error, upstream_rate_limited.')
  })
})

describe('after the first content of an answer', () => {
  it.each<[string, ScriptedAnswer]>([
    ['a reset', sseAnswer([role, words('Half an')], 'reset')],
    ['a closed connection', sseAnswer([role, words('Half an')], 'half-close')],
    ['an end without a reason', sseAnswer([role, words('Half an')])],
    ['silence', sseAnswer([role, words('Half an')], 'hang')],
    ['an error event', sseAnswer([role, words('Half an'), errorFrame])],
    ['an event that is not JSON', sseAnswer([role, words('Half an'), 'data: {"cho\n\n'])],
  ])('%s becomes an error for the client, and no other channel continues', async (_case, answer) => {
    await using open = await openGateway({ ...quick, scripts: [answer, good] })
    const stream = await openaiOf(open).chat.completions.create(streamed)
    const seen: OpenAI.ChatCompletionChunk[] = []
    const reading = async () => {
      for await (const one of stream) seen.push(one)
    }
    expect(await refusalOf(reading())).toBeInstanceOf(OpenAI.APIError)
    expect(textOf(seen)).toBe('Half an')
    expect(open.upstreams[1]?.requests).toHaveLength(0)
  })

  it('a truncated answer ends with an error event, without the terminator', async () => {
    await using open = await openGateway({
      ...quick,
      scripts: [sseAnswer([role, words('Half an')], 'reset')],
    })
    const raw = await readRaw(`${open.gateway.url}/v1/chat/completions`)
    expect(raw.text).toContain('Half an')
    expect(raw.text).not.toContain('[DONE]')
    const last = raw.text.trimEnd().split('\n\n').at(-1)?.replace('data: ', '')
    expect(JSON.parse(last ?? '')).toMatchObject({ error: { code: 'upstream_disconnected' } })
    expect(raw.isWhole).toBe(false)
  })

  it('a caller who disconnects ends the upstream call at once', async () => {
    await using open = await openGateway({ scripts: [sseAnswer([role, words('Half an')], 'hang')] })
    const stream = await openaiOf(open).chat.completions.create(streamed)
    for await (const { choices } of stream) if (choices[0]?.delta.content === 'Half an') break
    const leftAtMs = performance.now()
    const request = await open.upstreams[0]?.request(0)
    await request?.closed
    expect((request?.abortedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs).toBeLessThan(500)
  })

  it('a caller who aborts before any answer ends the upstream call too', async () => {
    await using open = await openGateway({ scripts: [{ ending: 'silence' }] })
    const controller = new AbortController()
    const call = openaiOf(open).chat.completions.create(plain, { signal: controller.signal })
    const refusal = refusalOf(call)
    const request = await open.upstreams[0]?.request(0)
    const leftAtMs = performance.now()
    controller.abort()
    expect(await refusal).toBeInstanceOf(OpenAI.APIUserAbortError)
    await request?.closed
    expect((request?.abortedAtMs ?? Number.POSITIVE_INFINITY) - leftAtMs).toBeLessThan(500)
  })
})

/** The bytes of a stream, and whether the connection said that they are all. */
async function readRaw(url: string): Promise<{ readonly text: string; readonly isWhole: boolean }> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(streamed),
  })
  if (answer.body === null) throw new Error('the answer has no body')
  let text = ''
  try {
    for await (const piece of answer.body.pipeThrough(new TextDecoderStream())) text += piece
  } catch {
    return { text, isWhole: false }
  }
  return { text, isWhole: true }
}

function textOf(chunks: readonly OpenAI.ChatCompletionChunk[]): string {
  return chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')
}
