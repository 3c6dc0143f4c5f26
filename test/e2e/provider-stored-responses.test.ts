import type { Socket } from 'node:net'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { collect } from '../support/collect.ts'
import { keeper, responseOf } from '../support/keeper.ts'
import { openaiOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  type RecordedRequest,
  type ScriptedAnswer,
  sseAnswer,
} from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneProcess } from '../support/topology/needs.ts'
import { upstreamError } from '../support/upstream-error.ts'

const input = 'Hi'

/** The words of no response are stored here, so that all that is asked of one goes to its provider. */
const off = 'stored_responses: off\n'
const twoKeys = `${off}
keys:
  - { name: a, secret: sk-a-0123456789abcdef, models: ["*"] }
  - { name: b, secret: sk-b-0123456789abcdef, models: ["*"] }
`
const clientA = { apiKey: 'sk-a-0123456789abcdef' }
const clientB = { apiKey: 'sk-b-0123456789abcdef' }

function openKeepers(more = twoKeys) {
  return openGateway({
    format: 'responses',
    scripts: [keeper('one'), keeper('two')],
    samePriority: true,
    firstMore: 'weight: 1',
    more,
  })
}

/** The number of times that each channel's provider was asked. */
function asked(open: Awaited<ReturnType<typeof openKeepers>>): readonly (readonly string[])[] {
  return open.upstreams.map(({ requests }) => requests.map(({ method, path }) => `${method} ${path}`))
}

describe('a response that only its provider stores', () => {
  it.each([false, true])(
    'is read where it was created, by the official client (streamed: %s)',
    async (stream) => {
      await using open = await openKeepers()
      const { responses } = openaiOf(open, clientA)
      if (stream) await collect(await responses.create({ model: 'm', input, stream }))
      else await responses.create({ model: 'm', input })
      const holder = asked(open).findIndex((calls) => calls.length === 1)
      const id = holder === 0 ? 'resp_one' : 'resp_two'
      expect((await responses.retrieve(id)).output_text).toBe('Yes.')
      expect(await responses.inputItems.list(id, { order: 'asc', limit: 5 })).toMatchObject({ data: [] })
      expect((await responses.cancel(id)).status).toBe('cancelled')
      await responses.delete(id)
      expect(asked(open)[holder]).toEqual([
        'POST /v1/responses',
        `GET /v1/responses/${id}`,
        `GET /v1/responses/${id}/input_items?order=asc&limit=5`,
        `POST /v1/responses/${id}/cancel`,
        `DELETE /v1/responses/${id}`,
      ])
      expect(asked(open)[1 - holder]).toEqual([])
      // A deleted response is not asked for again.
      expect(await refusalOf(responses.retrieve(id))).toBeInstanceOf(OpenAI.NotFoundError)
    },
  )

  it('is continued on the channel that stores it, however the load is shared', async () => {
    await using open = await openKeepers()
    const { responses } = openaiOf(open, clientA)
    const { id } = await responses.create({ model: 'm', input })
    const holder = id === 'resp_one' ? 0 : 1
    for (let turn = 0; turn < 8; turn += 1) {
      await responses.create({ model: 'm', input: `${turn}`, previous_response_id: id })
    }
    expect(asked(open)[holder]).toHaveLength(9)
    expect(asked(open)[1 - holder]).toEqual([])
  })

  it('cannot be read or continued by another key that knows the id', async () => {
    await using open = await openKeepers()
    const { id } = await openaiOf(open, clientA).responses.create({ model: 'm', input })
    const other = openaiOf(open, clientB).responses
    const calls = asked(open).flat().length
    for (const call of [other.retrieve(id), other.cancel(id), other.delete(id), other.inputItems.list(id)]) {
      expect(await refusalOf(call as Promise<unknown>)).toMatchObject({
        status: 404,
        code: 'response_not_found',
      })
    }
    expect(await refusalOf(other.create({ model: 'm', input, previous_response_id: id }))).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
      param: 'previous_response_id',
    })
    expect(asked(open).flat()).toHaveLength(calls)
  })

  it('with an unknown id may belong to another key, and is refused unless the operator allows it to the only channel', async () => {
    await using open = await openKeepers()
    const unknown = { model: 'm', input, previous_response_id: 'resp_unknown' }
    const refusal = await refusalOf(openaiOf(open, clientA).responses.create(unknown))
    expect(refusal).toMatchObject({ status: 400, code: 'previous_response_not_found' })
    expect(String(refusal)).toContain('resp_unknown')
    expect(asked(open)).toEqual([[], []])
    for (const [firstMore, calls] of [
      ['weight: 1', 0],
      ['allow_fields: [previous_response_id]', 1],
    ] as const) {
      await using single = await openGateway({ format: 'responses', scripts: [keeper('one')], firstMore })
      const asking = openaiOf(single).responses.create(unknown)
      if (calls === 0) expect(await refusalOf(asking)).toMatchObject({ code: 'previous_response_not_found' })
      else await asking
      expect(single.upstreams[0]?.requests).toHaveLength(calls)
    }
  })

  it('cannot be continued by any key after its own key deleted it', async () => {
    await using open = await openGateway({ format: 'responses', scripts: [keeper('one')], more: twoKeys })
    const { responses } = openaiOf(open, clientA)
    const { id } = await responses.create({ model: 'm', input })
    await responses.delete(id)
    for (const client of [clientA, clientB]) {
      const asking = openaiOf(open, client).responses.create({ model: 'm', input, previous_response_id: id })
      expect(await refusalOf(asking)).toMatchObject({ status: 400, code: 'previous_response_not_found' })
    }
    expect(asked(open).flat()).toHaveLength(2)
  })

  it('stays with its key across a restart, and with no other', async () => {
    await using upstream = await openScriptedUpstream(keeper('one'))
    const folder = makeTemporaryFolder()
    const yaml = `${channelYaml({ name: 'c', format: 'responses', origin: upstream.origin, models: ['m'] })}${twoKeys}`
    const create = (url: string, { apiKey }: typeof clientA, more: object) =>
      new OpenAI({ baseURL: `${url}/v1`, maxRetries: 0, apiKey }).responses.create({
        model: 'm',
        input,
        ...more,
      })
    const before = { previous_response_id: 'resp_one' }
    {
      await using gateway = await startGateway(yaml, folder)
      await create(gateway.url, clientA, {})
    }
    await using gateway = await startGateway(yaml, folder)
    expect(await refusalOf(create(gateway.url, clientB, before))).toMatchObject({
      code: 'previous_response_not_found',
    })
    expect(upstream.requests).toHaveLength(1)
    await create(gateway.url, clientA, before)
    expect(upstream.requests).toHaveLength(2)
  })

  it.each([['"conv_1"'], ['{"id":"conv_1"}']])(
    'in a conversation (%s), which no key owns, is requested only if the operator allows it',
    async (conversation) => {
      const body = { model: 'm', input, conversation: JSON.parse(conversation) }
      await using open = await openKeepers()
      expect(await refusalOf(openaiOf(open, clientA).responses.create(body))).toMatchObject({
        status: 400,
        code: 'field_not_allowed',
        param: 'conversation',
      })
      expect(asked(open)).toEqual([[], []])
      const firstMore = 'allow_fields: [conversation]'
      await using allowing = await openGateway({ format: 'responses', scripts: [keeper('one')], firstMore })
      await openaiOf(allowing).responses.create({ ...body, store: true })
      await openaiOf(open, clientA).responses.create({ model: 'm', input, conversation: null })
      expect([allowing, open].map(({ upstreams }) => upstreams.flatMap((one) => one.requests))).toMatchObject(
        [[{}], [{}]],
      )
    },
  )

  it.each([' resp_one', 'resp_one\n', '', 'a/b', ['resp_one'], { id: 'resp_one' }, 1])(
    'is requested only by a valid id, and not by %j',
    async (previous) => {
      await using open = await openKeepers()
      const body = { model: 'm', input, previous_response_id: previous as string }
      expect(await refusalOf(openaiOf(open, clientA).responses.create(body))).toMatchObject({
        status: 400,
        code: 'invalid_field',
        param: 'previous_response_id',
      })
      expect(asked(open)).toEqual([[], []])
    },
  )

  it('is not requested if the id is null', async () => {
    await using open = await openKeepers()
    await openaiOf(open, clientA).responses.create({ model: 'm', input, previous_response_id: null })
    expect(asked(open).flat()).toHaveLength(1)
  })

  it('is not known if the caller turned storage off', async () => {
    await using open = await openKeepers()
    const { responses } = openaiOf(open, clientA)
    const { id } = await responses.create({ model: 'm', input, store: false })
    expect(await refusalOf(responses.retrieve(id))).toMatchObject({ status: 404, code: 'response_not_found' })
  })

  it('that the provider no longer has is not found, and is not reported as a fault of the operator', async () => {
    const gone = (request: RecordedRequest) =>
      request.method === 'GET' ? upstreamError('chat', 404) : keeper('one')(request)
    await using open = await openGateway({ format: 'responses', scripts: [gone], more: off })
    const { responses } = openaiOf(open)
    const { id } = await responses.create({ model: 'm', input })
    expect(await refusalOf(responses.retrieve(id))).toMatchObject({ status: 404, code: 'response_not_found' })
  })

  it('is streamed again from its last event, and no key is forwarded in the URL', async () => {
    const again = (request: RecordedRequest) =>
      request.method === 'GET'
        ? sseAnswer([
            `event: response.completed\ndata: ${JSON.stringify({ type: 'response.completed', response: responseOf('resp_one') })}\n\n`,
          ])
        : keeper('one')(request)
    await using open = await openGateway({ format: 'responses', scripts: [again], more: off })
    const { responses } = openaiOf(open)
    const { id } = await responses.create({ model: 'm', input, background: true })
    const events = await collect(
      await responses.retrieve(
        id,
        { stream: true },
        { query: { stream: 'true', starting_after: 3, key: 'x' } },
      ),
    )
    expect(events).toMatchObject([{ type: 'response.completed' }])
    const path = open.upstreams[0]?.requests[1]?.path
    expect(path).toBe('/v1/responses/resp_one?stream=true&starting_after=3')
  })
})

describe('the one provider that stores a response', () => {
  it('is called again on a new connection if a reused one was dead', async () => {
    needsOneProcess('the kept connection is that of one process')
    const stored = new Set<Socket>()
    const script = (request: RecordedRequest, index: number): ScriptedAnswer => {
      if (index === 0) stored.add(request.socket)
      else if (stored.has(request.socket)) {
        request.socket.destroy()
        return { ending: 'silence' }
      }
      return keeper('one')(request)
    }
    await using open = await openGateway({ format: 'responses', scripts: [script], more: off })
    const { responses } = openaiOf(open)
    const { id } = await responses.create({ model: 'm', input })
    expect((await responses.retrieve(id)).output_text).toBe('Yes.')
    expect(asked(open)).toEqual([
      ['POST /v1/responses', 'GET /v1/responses/resp_one', 'GET /v1/responses/resp_one'],
    ])
  })

  it('writes to the log in its own words why it did not answer', async () => {
    const failing = (request: RecordedRequest) =>
      request.method === 'GET' ? upstreamError('chat', 500) : keeper('one')(request)
    await using open = await openGateway({ format: 'responses', scripts: [failing], more: off })
    const { responses } = openaiOf(open)
    const { id } = await responses.create({ model: 'm', input })
    const refusal = await refusalOf(responses.retrieve(id))
    const requestId = refusal instanceof OpenAI.APIError ? refusal.requestID : undefined
    const row = async () => (await createAskAdmin(open.gateway.url)('GET', `/requests/${requestId}`)).body
    const attempts = [{ outcome: 'upstream_error', cause: 'Upstream words.' }]
    await expect.poll(row).toMatchObject({ attempts })
  })
})

describe('other operations on responses', () => {
  it('are forwarded to the provider unchanged', async () => {
    await using open = await openGateway({ format: 'responses', scripts: [keeper('one')] })
    const { responses } = openaiOf(open)
    expect(await responses.inputTokens.count({ model: 'm', input })).toMatchObject({ input_tokens: 7 })
    expect(await responses.compact({ model: 'm', input })).toMatchObject({ object: 'response.compaction' })
    expect(asked(open)).toEqual([['POST /v1/responses/input_tokens', 'POST /v1/responses/compact']])
  })

  it('are refused on channels of other formats, which are not called', async () => {
    await using open = await openGateway({ format: 'chat', scripts: [jsonAnswer({})] })
    const { responses } = openaiOf(open)
    for (const call of [
      responses.inputTokens.count({ model: 'm', input }),
      responses.compact({ model: 'm', input }),
    ]) {
      expect(await refusalOf(call as Promise<unknown>)).toMatchObject({
        status: 400,
        code: 'operation_not_supported',
        param: 'model',
      })
    }
    const before = { model: 'm', input, previous_response_id: 'resp_1' }
    expect(await refusalOf(responses.create(before))).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    })
    expect(open.upstreams[0]?.requests).toEqual([])
  })
})
