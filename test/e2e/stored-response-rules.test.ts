import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { collect } from '../support/collect.ts'
import { fieldsOf } from '../support/judged.ts'
import { keeper, responseOf } from '../support/keeper.ts'
import { openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneFolder } from '../support/topology/needs.ts'
import { upstreamError } from '../support/upstream-error.ts'

const twoKeys = `
keys:
  - { name: a, secret: sk-a-0123456789abcdef, models: ["*"] }
  - { name: b, secret: sk-b-0123456789abcdef, models: ["*"] }
`
const clientA = { apiKey: 'sk-a-0123456789abcdef' }
const clientB = { apiKey: 'sk-b-0123456789abcdef' }

const bodyOf = (request: RecordedRequest | undefined) => fieldsOf(JSON.parse(String(request?.body)))

/** A channel of the chat format that says how many messages it was sent. */
function countMessages(request: RecordedRequest) {
  const { messages } = JSON.parse(String(request.body))
  const message = { role: 'assistant', content: `${messages.length} messages` }
  return jsonAnswer({
    id: 'chatcmpl-1',
    object: 'chat.completion',
    created: 1,
    model: 'm',
    choices: [{ index: 0, message, finish_reason: 'stop' }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  })
}

const openChat = (more = twoKeys) => openGateway({ format: 'chat', scripts: [countMessages], more })

describe('a stored response of a channel that stores nothing', () => {
  it('can be read, listed by its input and deleted only by its own key', async () => {
    await using open = await openChat()
    const { responses } = openaiOf(open, clientA)
    const first = await responses.create({ model: 'm', input: 'One' })
    const second = await responses.create({
      model: 'm',
      instructions: 'Be brief.',
      previous_response_id: first.id,
      input: [{ role: 'user', content: 'Two' }],
    })
    expect(second).toMatchObject({ previous_response_id: first.id, store: true, output_text: '4 messages' })
    expect(await responses.retrieve(second.id)).toEqual(second)
    const page = await responses.inputItems.list(second.id, { order: 'asc', limit: 2 })
    expect(page).toMatchObject({ has_more: true, data: [{ role: 'user' }, { role: 'assistant' }] })
    const rest = await responses.inputItems.list(second.id, { order: 'asc', after: page.data[1]?.id ?? '' })
    expect(rest).toMatchObject({
      has_more: false,
      data: [{ content: [{ type: 'input_text', text: 'Two' }] }],
    })
    const other = openaiOf(open, clientB).responses
    const calls = [
      () => other.retrieve(second.id),
      () => other.delete(second.id),
      async () => void (await other.inputItems.list(second.id)),
    ]
    const unknown = await refusalOf(other.retrieve('resp_unknown'))
    for (const call of calls) {
      const refusal = await refusalOf(call())
      expect(refusal).toMatchObject({ status: 404, code: 'response_not_found' })
      expect(String(refusal).replace(second.id, 'resp_unknown')).toBe(String(unknown))
    }
    await responses.delete(second.id)
    expect(await refusalOf(responses.retrieve(second.id))).toMatchObject({ status: 404 })
    expect(await responses.retrieve(first.id)).toEqual(first)
  })

  it('does not pass its instructions to the next response', async () => {
    await using open = await openChat()
    const { responses } = openaiOf(open, clientA)
    const first = await responses.create({ model: 'm', instructions: 'Be brief.', input: 'One' })
    const second = await responses.create({ model: 'm', input: 'Two', previous_response_id: first.id })
    expect(second.output_text).toBe('3 messages')
  })

  it('can be continued by an item of its listed input', async () => {
    await using open = await openChat()
    const { responses } = openaiOf(open, clientA)
    const { id } = await responses.create({ model: 'm', input: 'One' })
    const { data } = await responses.inputItems.list(id)
    const reference = { type: 'item_reference' as const, id: data[0]?.id ?? '' }
    await responses.create({ model: 'm', input: [reference] })
    expect(bodyOf(open.upstreams[0]?.requests[1])['messages']).toEqual([{ role: 'user', content: 'One' }])
  })

  it('cannot be cancelled, since it was not created in the background, nor streamed again', async () => {
    await using open = await openChat()
    const { responses } = openaiOf(open, clientA)
    const { id } = await responses.create({ model: 'm', input: 'One' })
    expect(await refusalOf(responses.cancel(id))).toMatchObject({
      status: 400,
      code: 'response_not_cancellable',
    })
    expect(await refusalOf(responses.retrieve(id, { stream: true }))).toMatchObject({ param: 'stream' })
  })

  it('does not exist if the caller turns storage off, or the operator does', async () => {
    for (const [more, store] of [
      [twoKeys, false],
      [`${twoKeys}stored_responses: off\n`, undefined],
    ] as const) {
      await using open = await openChat(more)
      const { responses } = openaiOf(open, clientA)
      const response = await responses.create({ model: 'm', input: 'One', ...(store === false && { store }) })
      expect(fieldsOf(response)['store']).toBe(false)
      expect(await refusalOf(responses.retrieve(response.id))).toMatchObject({ status: 404 })
    }
  })

  it('does not exist if the request alone is larger than the limit', async () => {
    await using open = await openChat(`${twoKeys}stored_responses: { max_bytes: 1MB }\n`)
    const { responses } = openaiOf(open, clientA)
    const response = await responses.create({ model: 'm', input: 'x'.repeat(700_000) })
    expect(fieldsOf(response)['store']).toBe(false)
    expect(await refusalOf(responses.retrieve(response.id))).toMatchObject({ status: 404 })
  })

  it('is complete after many turns', async () => {
    await using open = await openChat()
    const { responses } = openaiOf(open, clientA)
    let previous: string | null = null
    let words = ''
    for (let turn = 0; turn < 70; turn += 1) {
      const { id, output_text }: OpenAI.Responses.Response = await responses.create({
        model: 'm',
        input: `turn ${turn}`,
        previous_response_id: previous,
      })
      previous = id
      words = output_text
    }
    expect(words).toBe('139 messages')
  })
})

describe('a stored response that a provider stores as well', () => {
  it('reaches its caller with its own bytes, except for the id', async () => {
    for (const stream of [false, true]) {
      await using open = await openGateway({ format: 'responses', scripts: [keeper('one')] })
      const sent = { model: 'm', input: 'Hi', stream }
      const asked = await ask({ url: open.gateway.url, format: 'responses' }, sent)
      const plain = await ask({ url: open.gateway.url, format: 'responses' }, { ...sent, store: false })
      const [ours] = /resp_[0-9a-f]{48}/.exec(asked.body.toString()) ?? ['']
      expect(ours).not.toBe('')
      expect(asked.body.toString().replaceAll(ours, 'resp_one')).toBe(plain.body.toString())
      expect(bodyOf(open.upstreams[0]?.requests[0])).toEqual(sent)
    }
  })

  it('is continued by the id of its provider, and the answer has the caller’s id', async () => {
    const echo = (request: RecordedRequest) => {
      const { previous_response_id } = JSON.parse(String(request.body))
      return jsonAnswer(responseOf('resp_two', { previous_response_id }))
    }
    const script = (request: RecordedRequest, index: number) =>
      index === 0 ? keeper('one')(request) : echo(request)
    await using open = await openGateway({ format: 'responses', scripts: [script] })
    const { responses } = openaiOf(open)
    const { id } = await responses.create({ model: 'm', input: 'Hi' })
    const next = await responses.create({ model: 'm', input: 'And?', previous_response_id: id })
    expect(next.previous_response_id).toBe(id)
    expect(bodyOf(open.upstreams[0]?.requests[1])).toEqual({
      model: 'm',
      input: 'And?',
      previous_response_id: 'resp_one',
    })
  })

  it('is continued by another channel with the whole conversation, if its own fails in the same request', async () => {
    const failing = (request: RecordedRequest, index: number) =>
      index === 0 ? keeper('one')(request) : upstreamError('chat', 500)
    await using open = await openGateway({
      format: ['responses', 'chat'],
      scripts: [failing, countMessages],
    })
    const { responses } = openaiOf(open)
    const { id } = await responses.create({ model: 'm', input: 'Hi' })
    const next = await responses.create({ model: 'm', input: 'And?', previous_response_id: id })
    expect(next.output_text).toBe('3 messages')
    expect(bodyOf(open.upstreams[1]?.requests[0])['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Yes.' },
      { role: 'user', content: 'And?' },
    ])
    const last = await responses.create({ model: 'm', input: 'So?', previous_response_id: next.id })
    expect(last.output_text).toBe('5 messages')
  })

  it('is polled at its provider until that has finished, then read from the gateway', async () => {
    const working = responseOf('resp_one', { status: 'queued', output: [], background: true })
    const done = responseOf('resp_one', { background: true })
    const answers = [jsonAnswer(working), jsonAnswer(working), jsonAnswer(done)]
    await using open = await openGateway({ format: 'responses', scripts: [answers] })
    const { responses } = openaiOf(open)
    const { id } = await responses.create({ model: 'm', input: 'Hi', background: true })
    expect((await responses.retrieve(id)).status).toBe('queued')
    expect(await responses.retrieve(id)).toMatchObject({ id, status: 'completed', output_text: 'Yes.' })
    expect(await responses.retrieve(id)).toMatchObject({ id, status: 'completed', output_text: 'Yes.' })
    const retrieved = '/v1/responses/resp_one'
    const paths = open.upstreams[0]?.requests.map(({ path }) => path)
    expect(paths).toEqual(['/v1/responses', retrieved, retrieved])
  })

  it('is deleted at its provider too', async () => {
    await using open = await openGateway({ format: 'responses', scripts: [keeper('one')] })
    const { responses } = openaiOf(open)
    const { id } = await responses.create({ model: 'm', input: 'Hi' })
    const answer = await ask({ url: open.gateway.url, format: 'responses' }, { model: 'm', input: 'x' })
    expect(answer.status).toBe(200)
    await responses.delete(id)
    const last = open.upstreams[0]?.requests.at(-1)
    expect([last?.method, last?.path]).toEqual(['DELETE', '/v1/responses/resp_one'])
    expect(await refusalOf(responses.retrieve(id))).toMatchObject({ status: 404 })
  })

  it('does not exist if it broke off', async () => {
    const item = { type: 'message', id: 'msg_1', role: 'assistant', content: [] }
    const events = [
      { type: 'response.created', response: responseOf('resp_one', { status: 'in_progress', output: [] }) },
      { type: 'response.output_item.added', output_index: 0, item },
      { type: 'response.output_text.delta', output_index: 0, item_id: 'msg_1', content_index: 0, delta: 'Y' },
    ]
    const cut = sseAnswer(
      events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
      'reset',
    )
    const script = (request: RecordedRequest) =>
      request.method === 'POST' ? cut : upstreamError('chat', 404)
    await using open = await openGateway({
      format: 'responses',
      scripts: [script],
      more: 'retry: { attempts: 1 }\n',
    })
    const { responses } = openaiOf(open)
    let id = ''
    const reading = async () => {
      for await (const event of await responses.create({ model: 'm', input: 'Hi', stream: true }))
        if (event.type === 'response.created') id = event.response.id
    }
    await refusalOf(reading())
    expect(id).toMatch(/^resp_[0-9a-f]{48}$/)
    expect(await refusalOf(responses.retrieve(id))).toMatchObject({ status: 404, code: 'response_not_found' })
  })
})

describe('stored responses on disk', () => {
  const secretWords = 'Zanzibar-Quartz-7731'

  async function run(
    folder: string,
    origin: string,
    environment: { secret?: string; previousSecret?: string },
  ) {
    const yaml = `${channelYaml({ format: 'chat', origin, models: ['m'] })}${twoKeys}`
    const gateway = await startGateway(yaml, folder, environment)
    const responses = new OpenAI({ baseURL: `${gateway.url}/v1`, maxRetries: 0, ...clientA }).responses
    return { gateway, responses }
  }

  it('are sealed, can be opened after a change of the secret, and not without it', async () => {
    needsOneFolder('it reads the files of a data folder')
    await using upstream = await openScriptedUpstream(countMessages)
    const folder = makeTemporaryFolder()
    const secret = 'first-secret-0123456789'
    const next = 'second-secret-0123456789'
    const first = await run(folder, upstream.origin, { secret })
    const { id } = await first.responses.create({ model: 'm', input: secretWords })
    await first.gateway[Symbol.asyncDispose]()
    const files = readdirSync(join(folder, 'data'), { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ name }) => readFileSync(join(folder, 'data', name)))
    expect(files.some((bytes) => bytes.includes(id))).toBe(true)
    expect(files.some((bytes) => bytes.includes(secretWords))).toBe(false)
    const changed = await run(folder, upstream.origin, { secret: next, previousSecret: secret })
    expect(await changed.responses.retrieve(id)).toMatchObject({ id })
    await changed.gateway[Symbol.asyncDispose]()
    const after = await run(folder, upstream.origin, { secret: next })
    expect(await after.responses.retrieve(id)).toMatchObject({ id })
    await after.gateway[Symbol.asyncDispose]()
    const lost = await run(folder, upstream.origin, { secret: 'third-secret-0123456789' })
    expect(await refusalOf(lost.responses.retrieve(id))).toMatchObject({ status: 404 })
    await lost.gateway[Symbol.asyncDispose]()
  })
})

it('a stream has one id from its first event to its last, and the response is stored before the last is sent', async () => {
  await using open = await openChat()
  const { responses } = openaiOf(open, clientA)
  const events = await collect(await responses.create({ model: 'm', input: 'Hi', stream: true }))
  const last = events.at(-1)
  if (last?.type !== 'response.completed') throw new Error('the stream did not end')
  expect(await responses.retrieve(last.response.id)).toMatchObject({ id: last.response.id })
})
