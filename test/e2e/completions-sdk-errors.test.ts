import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import type { FormatId } from '../../src/canonical/format.ts'
import { errorAtEnd, isTerminated } from '../support/ask.ts'
import { collect } from '../support/collect.ts'
import { type GatewayPlan, openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { jsonAnswer, type ScriptedAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'
import { upstreamError } from '../support/upstream-error.ts'

const body = { model: 'm', prompt: 'Hi' }

interface Channel {
  readonly name: string
  readonly format: FormatId
  readonly plan: Omit<GatewayPlan, 'scripts'>
  /** The beginning of a streamed answer, with some words. */
  readonly start: readonly string[]
}

function chunk(choice: object): string {
  const choices = [{ index: 0, finish_reason: null, ...choice }]
  return `data: ${JSON.stringify({ id: 'i', created: 5, model: 'm', choices })}\n\n`
}

function event(type: string, more: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...more })}\n\n`
}

const message = { id: 'i', type: 'message', role: 'assistant', model: 'm', content: [] }
const attempts = 'retry: { attempts: 1 }\n'
const noEndpoint = 'models: { m: { completions: false } }\n'
const channels: readonly Channel[] = [
  { name: 'with the endpoint', format: 'chat', plan: { more: attempts }, start: [chunk({ text: 'Half' })] },
  {
    name: 'of chat alone',
    format: 'chat',
    plan: { more: attempts + noEndpoint },
    start: [chunk({ delta: { content: 'Half' } })],
  },
  {
    name: 'of messages',
    format: 'messages',
    plan: { more: attempts, format: 'messages' },
    start: [
      event('message_start', { message: { ...message, usage: { input_tokens: 1, output_tokens: 1 } } }),
      event('content_block_start', { index: 0, content_block: { type: 'text', text: '' } }),
      event('content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Half' } }),
    ],
  },
]

describe.each(channels)('completions on a channel $name', ({ format, plan, start }) => {
  const open = (script: ScriptedAnswer) => openGateway({ ...plan, scripts: [script] })

  it.each([
    [400, 'invalid_request_error', 400, OpenAI.BadRequestError],
    [401, 'authentication_error', 502, OpenAI.InternalServerError],
    [404, 'not_found_error', 502, OpenAI.InternalServerError],
    [429, 'rate_limit_error', 429, OpenAI.RateLimitError],
  ] as const)('turn an upstream’s %i %s into %i', async (upstream, type, status, errorClass) => {
    await using gateway = await open(upstreamError(format, upstream, { type, message: 'Words from above.' }))
    const refusal = await refusalOf(openaiOf(gateway).completions.create(body))
    expect(refusal).toBeInstanceOf(errorClass)
    expect(refusal).toMatchObject({ status, requestID: expect.stringMatching(/\S/) })
    expect(String(refusal).includes('Words from above.')).toBe(status === 400)
  })

  it.each(['reset', 'half-close', 'end'] as const)(
    'truncated by %s end with an error event',
    async (ending) => {
      // The words must be out before a reset, which overtakes what lies before it.
      const said = Promise.withResolvers<undefined>()
      await using gateway = await open(sseAnswer([...start, said.promise], ending))
      const answer = await fetch(`${gateway.gateway.url}/v1/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
        body: JSON.stringify({ ...body, stream: true }),
      })
      said.resolve(undefined)
      const text = await readUntilBroken(answer)
      expect(answer.status).toBe(200)
      expect(text).toContain('"text":"Half"')
      expect(isTerminated('chat', text)).toBe(false)
      expect(errorAtEnd('chat', text)).toMatchObject({ code: 'upstream_disconnected' })
    },
  )

  it('make the client throw if they are truncated', async () => {
    await using gateway = await open(sseAnswer(start))
    const stream = await openaiOf(gateway).completions.create({ ...body, stream: true })
    expect(await refusalOf(collect(stream))).toBeInstanceOf(OpenAI.APIError)
  })

  it('are cancelled upstream when the caller disconnects', async () => {
    await using gateway = await open(sseAnswer(start, 'hang'))
    const stream = await openaiOf(gateway).completions.create({ ...body, stream: true })
    for await (const { choices } of stream) {
      if (choices[0]?.text === 'Half') break
    }
    const asked = await gateway.upstreams[0]?.request(0)
    await asked?.closed
    expect(asked?.abortedAtMs).toBeTypeOf('number')
  })

  it('need a key, and an existing model', async () => {
    await using gateway = await open({})
    const stranger = openaiOf(gateway, { apiKey: 'sk-nobody-0123456789' })
    expect(await refusalOf(stranger.completions.create(body))).toMatchObject({ status: 401 })
    const missing = openaiOf(gateway).completions.create({ ...body, model: 'none' })
    expect(await refusalOf(missing)).toMatchObject({ status: 404, code: 'model_not_found', param: 'model' })
    expect(gateway.upstreams[0]?.requests).toEqual([])
  })
})

describe('on a channel with the completions endpoint', () => {
  it('an error in the middle of a stream is an error for the client', async () => {
    const error = `data: ${JSON.stringify({ error: { message: 'overloaded', type: 'server_error' } })}\n\n`
    await using gateway = await openGateway({ scripts: [sseAnswer([chunk({ text: 'Half' }), error])] })
    const stream = await openaiOf(gateway).completions.create({ ...body, stream: true })
    expect(await refusalOf(collect(stream))).toMatchObject({ code: expect.stringMatching(/^upstream_/) })
  })

  it('a terminator that is missing after the finish reason is added', async () => {
    const frames = [chunk({ text: 'All.' }), chunk({ text: '', finish_reason: 'stop' })]
    await using gateway = await openGateway({ scripts: [sseAnswer(frames)] })
    const stream = await openaiOf(gateway).completions.create({ ...body, stream: true })
    expect((await collect(stream)).map(({ choices }) => choices[0]?.text)).toEqual(['All.', ''])
  })

  it('another channel takes over before the first content', async () => {
    const good = sseAnswer([chunk({ text: 'All.', finish_reason: 'stop' }), 'data: [DONE]\n\n'])
    const empty = sseAnswer([chunk({ text: '' })])
    await using gateway = await openGateway({
      more: 'retry: { same_target: 0 }\n',
      scripts: [empty, good],
    })
    const stream = await openaiOf(gateway).completions.create({ ...body, stream: true })
    expect((await collect(stream)).map(({ choices }) => choices[0]?.text)).toEqual(['All.'])
  })
})

describe.each(channels.slice(1))('on a channel $name', ({ plan }) => {
  it.each<[object, string, boolean]>([
    [{ suffix: 'end' }, 'suffix', true],
    [{ best_of: 2 }, 'best_of', true],
    [{ prompt: [1, 2] }, 'prompt', false],
    [{ prompt: ['a', 'b'], stream: true }, 'prompt', false],
    [{ max_tokens: 0 }, 'max_tokens', false],
  ])('%j is refused at %s', async (fields, param, isStrict) => {
    await using gateway = await openGateway({ ...plan, scripts: [{}] })
    const headers = isStrict ? { 'x-headgate-strict': '1' } : {}
    const refusal = await refusalOf(openaiOf(gateway).completions.create({ ...body, ...fields }, { headers }))
    expect(refusal).toBeInstanceOf(OpenAI.BadRequestError)
    expect(refusal).toMatchObject({ code: 'cannot_be_carried', param })
    expect(gateway.upstreams[0]?.requests).toEqual([])
  })
})

it('several choices need a channel that supports them, and each of several prompts gets all of them', async () => {
  const several = { ...body, prompt: ['a', 'b'], n: 2 }
  await using single = await openGateway({ format: 'messages', scripts: [{}], more: attempts })
  const refusal = await refusalOf(openaiOf(single).completions.create(several))
  expect(refusal).toMatchObject({ status: 400, code: 'cannot_be_carried', param: 'n' })
  const choices = [{ index: 0, message: { role: 'assistant', content: 'One.' }, finish_reason: 'stop' }]
  const fewer = jsonAnswer({ id: 'i', object: 'chat.completion', created: 5, model: 'm', choices })
  await using lacking = await openGateway({ scripts: [fewer], more: attempts + noEndpoint })
  const failure = await refusalOf(openaiOf(lacking).completions.create(several))
  expect(failure).toMatchObject({ status: 502, code: 'upstream_bad_response' })
})

async function readUntilBroken({ body: stream }: Response): Promise<string> {
  let text = ''
  const decoder = new TextDecoder()
  try {
    for await (const part of stream ?? []) text += decoder.decode(part, { stream: true })
  } catch {
    return text
  }
  return text
}
