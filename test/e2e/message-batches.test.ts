import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { keyA, keyB, keyOfDollar, keyOfOther } from '../support/object-gateway.ts'
import { anthropicOf, openGateway, refusalOf } from '../support/open-gateway.ts'
import { type MessageGateway, openMessageGateway, requestOf } from '../support/open-message-gateway.ts'
import { probeMessageObjects } from '../support/probe-message-objects.ts'

/** The rows of the ledger, the newest first. */
async function rowsOf({ gateway }: MessageGateway): Promise<readonly Record<string, unknown>[]> {
  const { body } = await createAskAdmin(gateway.url)('GET', '/ledger?limit=100')
  return (body as { readonly data: readonly Record<string, unknown>[] }).data
}

function sumOf(rows: readonly Record<string, unknown>[], name: string): number {
  return rows.reduce((sum, row) => sum + Math.round(Number(row[name]) * 1e9), 0)
}

const two = [requestOf('one'), requestOf('two')]

describe("the Anthropic SDK's messages.batches", () => {
  it('create sends the requests under the upstream names of their models, otherwise unchanged', async () => {
    await using open = await openMessageGateway()
    const batch = await open
      .clientOf(keyA)
      .messages.batches.create({ requests: [requestOf('one'), requestOf('two', { model: 'other' })] })
    expect(batch).toMatchObject({
      type: 'message_batch',
      processing_status: 'in_progress',
      results_url: null,
    })
    expect(batch.id).toMatch(/^msgbatch_[0-9a-f-]{36}$/)
    expect(JSON.parse(open.upstream.requests[0]?.body.toString() ?? '')).toEqual({
      requests: [
        requestOf('one', { model: 'claude-upstream-m' }),
        requestOf('two', { model: 'claude-upstream-o' }),
      ],
    })
  })

  it('retrieve, cancel and delete use the gateway’s id of a batch', async () => {
    await using open = await openMessageGateway()
    const { batches } = open.clientOf(keyA).messages
    const { id } = await batches.create({ requests: two })
    expect((await batches.retrieve(id)).id).toBe(id)
    expect(await refusalOf(batches.delete(id))).toMatchObject({ status: 400 })
    expect((await batches.cancel(id)).processing_status).toBe('canceling')
    open.upstream.finish({ input_tokens: 1, output_tokens: 1 })
    expect(await batches.delete(id)).toEqual({ id, type: 'message_batch_deleted' })
    expect(await refusalOf(batches.retrieve(id))).toMatchObject({ status: 404 })
    expect(open.upstream.batches.size).toBe(0)
  })

  it('list is paged, forwards and backwards', async () => {
    await using open = await openMessageGateway()
    const { batches } = open.clientOf(keyA).messages
    const ids: string[] = []
    for (const name of ['1', '2', '3', '4', '5'])
      ids.unshift((await batches.create({ requests: [requestOf(name)] })).id)
    const listed: string[] = []
    for await (const { id } of batches.list({ limit: 2 })) listed.push(id)
    expect(listed).toEqual(ids)
    const before = await batches.list({ limit: 2, before_id: ids[4] ?? '' })
    expect(before.data.map(({ id }) => id)).toEqual([ids[2], ids[3]])
    expect(before).toMatchObject({ has_more: true, first_id: ids[2], last_id: ids[3] })
  })

  it('results are returned unchanged, without an id of the provider', async () => {
    await using open = await openMessageGateway()
    const { batches } = open.clientOf(keyA).messages
    const names = ['one', 'errored-1', 'canceled-1', 'expired-1']
    const { id } = await batches.create({ requests: names.map((name) => requestOf(name)) })
    open.upstream.finish({ input_tokens: 1, output_tokens: 1 })
    const batch = await batches.retrieve(id)
    expect(batch.results_url).toBe(`${open.gateway.url}/v1/messages/batches/${id}/results`)
    const results: unknown[] = []
    const types: string[] = []
    for await (const line of await batches.results(id)) {
      results.push(line)
      types.push(`${line.custom_id} ${line.result.type}`)
    }
    expect(types.toSorted()).toEqual([
      'canceled-1 canceled',
      'errored-1 errored',
      'expired-1 expired',
      'one succeeded',
    ])
    expect(JSON.stringify([batch, results])).not.toContain('REMOTE')
  })

  it('bills successful requests once, each model at its batch rates, the cache at cache rates', async () => {
    await using open = await openMessageGateway()
    const { batches } = open.clientOf(keyA).messages
    const requests = [
      requestOf('one'),
      requestOf('two'),
      requestOf('errored-1'),
      requestOf('three', { model: 'other' }),
    ]
    const { id } = await batches.create({ requests })
    open.upstream.finish({ input_tokens: 100, output_tokens: 10, cache_read_input_tokens: 50 })
    for await (const _line of await batches.results(id)) void _line
    await batches.retrieve(id)
    open.clock.advance(3_600_000)
    open.clock.look()
    // For a million tokens: 2 × (100 × $1 + 50 × $0.10 + 10 × $4), and 100 × $2 + 50 × $2 + 10 × $8.
    await expect.poll(async () => sumOf(await rowsOf(open), 'cost_usd')).toBe(290_000 + 380_000)
    const rows = await rowsOf(open)
    expect(rows.length).toBe(4)
    const ofOther = rows.filter(({ model }) => model === 'other')
    expect(sumOf(ofOther, 'cost_usd')).toBe(380_000)
  })

  it('are billed in the background even if no caller reads them, across a restart', async () => {
    await using open = await openMessageGateway()
    await open.clientOf(keyOfDollar).messages.batches.create({ requests: two })
    open.upstream.finish({ input_tokens: 20, output_tokens: 5 })
    await open.restart()
    open.clock.advance(60_000)
    open.clock.look()
    await expect.poll(async () => sumOf(await rowsOf(open), 'charged_usd')).toBe(80_000)
  })

  it('keep their estimate while the results cannot be read, and are billed when they can', async () => {
    await using open = await openMessageGateway()
    await open.clientOf(keyA).messages.batches.create({ requests: two })
    const estimate = sumOf(await rowsOf(open), 'cost_usd')
    open.upstream.finish({ input_tokens: 20, output_tokens: 5 })
    const seen = open.upstream.requests.length
    const fields = [...open.upstream.batches.values()].map((batch) => (batch as { fields: unknown }).fields)
    open.upstream.failNext({
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify(fields[0])],
    })
    open.upstream.failNext({ headers: { 'content-type': 'text/html' }, chunks: ['<html>\n'] })
    open.clock.advance(60_000)
    open.clock.look()
    await expect.poll(() => open.upstream.requests.length).toBe(seen + 2)
    expect(sumOf(await rowsOf(open), 'cost_usd')).toBe(estimate)
    open.clock.advance(3_600_000)
    await expect
      .poll(async () => {
        open.clock.look()
        return sumOf(await rowsOf(open), 'cost_usd')
      })
      .toBe(80_000)
  })

  it('reserve their worst case in an exact budget, which refuses what does not fit', async () => {
    await using open = await openMessageGateway()
    const { batches } = open.clientOf(keyOfDollar).messages
    // Each may cost $0.40 for its output.
    const large = { max_tokens: 100_000 }
    await batches.create({ requests: [requestOf('one', large), requestOf('two', large)] })
    expect(await refusalOf(batches.create({ requests: [requestOf('three', large)] }))).toMatchObject({
      status: 429,
    })
    expect(open.upstream.batches.size).toBe(1)
    open.upstream.finish({ input_tokens: 100, output_tokens: 10 })
    open.clock.advance(60_000)
    open.clock.look()
    await expect.poll(async () => sumOf(await rowsOf(open), 'charged_usd')).toBe(280_000)
    expect((await batches.create({ requests: [requestOf('four', large)] })).processing_status).toBe(
      'in_progress',
    )
  })

  it.each([
    ['has no custom_id', [{ params: requestOf('one').params }], 400],
    ['has the custom_id of another', [requestOf('one'), requestOf('one')], 400],
    ['asks for a stream', [requestOf('one', { stream: true })], 400],
    ['names a container', [requestOf('one', { container: 'container_1' })], 400],
    ['names a file that is not there', [requestOf('one', fileOf('file_1'))], 404],
    ['asks a model that is not there', [requestOf('one', { model: 'none' })], 404],
    ['would steer past the gateway', [requestOf('one', { fallbacks: [{ model: 'x' }] })], 400],
    ['is not there', [], 400],
  ])('is refused if a request %s', async (_what, requests, status) => {
    await using open = await openMessageGateway()
    const create = open.clientOf(keyA).messages.batches.create({ requests: requests as never })
    expect(await refusalOf(create)).toMatchObject({ status })
    expect(open.upstream.requests).toEqual([])
  })

  it('needs the permission of each of its models', async () => {
    await using open = await openMessageGateway()
    const requests = [requestOf('one', { model: 'other' }), requestOf('two')]
    const create = open.clientOf(keyOfOther).messages.batches.create({ requests })
    expect(await refusalOf(create)).toMatchObject({ status: 404 })
    expect(open.upstream.requests).toEqual([])
  })
})

function fileOf(id: string) {
  const source = { type: 'file' as const, file_id: id }
  return { messages: [{ role: 'user' as const, content: [{ type: 'document' as const, source }] }] }
}

describe("the Anthropic SDK's files", () => {
  const upload = (open: MessageGateway, key: string, text = 'some text') =>
    open.clientOf(key).files.upload({ file: new File([text], 'a.txt', { type: 'text/plain' }) })

  it('upload, retrieve and delete use the gateway’s id of a file', async () => {
    await using open = await openMessageGateway()
    const { files } = open.clientOf(keyA)
    const file = await upload(open, keyA)
    expect(file).toMatchObject({ type: 'file', filename: 'a.txt', mime_type: 'text/plain', size_bytes: 9 })
    expect(await files.retrieveMetadata(file.id)).toEqual(file)
    expect(await files.delete(file.id)).toEqual({ id: file.id, type: 'file_deleted' })
    expect(await refusalOf(files.retrieveMetadata(file.id))).toMatchObject({ status: 404 })
    expect(open.upstream.files.size).toBe(0)
  })

  it('download returns the bytes unchanged', async () => {
    await using open = await openMessageGateway()
    const bytes = Buffer.from(Array.from({ length: 100_000 }, (_, index) => index % 256))
    const { files } = open.clientOf(keyA)
    const { id } = await files.upload({ file: new File([bytes], 'a.bin') })
    expect(Buffer.from(await (await files.download(id)).arrayBuffer()).equals(bytes)).toBe(true)
  })

  it('list is paged, also in the beta', async () => {
    await using open = await openMessageGateway()
    const client = open.clientOf(keyA)
    const ids: string[] = []
    for (const text of ['1', '2', '3']) ids.unshift((await upload(open, keyA, text)).id)
    const listed: string[] = []
    for await (const { id } of client.files.list({ limit: 2 })) listed.push(id)
    expect(listed).toEqual(ids)
    const inBeta: string[] = []
    for await (const { id } of client.beta.files.list({ limit: 1 })) inBeta.push(id)
    expect(inBeta).toEqual(ids)
    expect((await client.beta.files.retrieveMetadata(ids[0] ?? '')).id).toBe(ids[0])
  })

  it('are read by a message under the id of the provider', async () => {
    await using open = await openMessageGateway()
    const client = open.clientOf(keyA)
    const { id } = await upload(open, keyA)
    const [remote = ''] = open.upstream.files.keys()
    const { content } = await client.messages.create({ ...requestOf('').params, ...(fileOf(id) as object) })
    expect(content).toMatchObject([{ text: 'Hello' }])
    expect(open.upstream.requests.at(-1)?.body.toString()).toContain(`"file_id":"${remote}"`)
  })

  it('have the gateway’s ids in the message of an error', async () => {
    await using open = await openMessageGateway()
    const client = open.clientOf(keyA)
    const { id } = await upload(open, keyA)
    const [remote = ''] = open.upstream.files.keys()
    const error = { type: 'invalid_request_error', message: `File not found: ${remote}` }
    open.upstream.failNext({
      status: 400,
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify({ type: 'error', error })],
    })
    const asked = client.messages.create({ ...requestOf('').params, ...(fileOf(id) as object) })
    await expect(asked).rejects.toThrow(`File not found: ${id}`)
  })

  it('are read by a batch under the id of the provider', async () => {
    await using open = await openMessageGateway()
    const client = open.clientOf(keyA)
    const { id } = await upload(open, keyA)
    await client.messages.batches.create({ requests: [requestOf('one', fileOf(id))] })
    const [remote = ''] = open.upstream.files.keys()
    expect(open.upstream.requests.at(-1)?.body.toString()).toContain(`"file_id":"${remote}"`)
  })

  it('are refused to another key, and by the id of the provider', async () => {
    await using open = await openMessageGateway()
    const { id } = await upload(open, keyA)
    const [remote = ''] = open.upstream.files.keys()
    const before = open.upstream.requests.length
    for (const [key, named] of [
      [keyB, id],
      [keyA, remote],
    ] as const) {
      const params = { ...requestOf('').params, ...(fileOf(named) as object) }
      const asked = open.clientOf(key).messages.create(params)
      expect(await refusalOf(asked)).toMatchObject({ status: 404 })
    }
    expect(open.upstream.requests.length).toBe(before)
  })
})

it('no key learns of the objects of another key, in 500 probes', async () => {
  expect(await probeMessageObjects(5)).toBeGreaterThanOrEqual(500)
})

it('a model that no channel takes batches of is refused without a word about other models', async () => {
  await using open = await openGateway({ scripts: [{}] })
  const refusal = await refusalOf(anthropicOf(open).messages.batches.create({ requests: two }))
  expect(refusal).toMatchObject({
    status: 400,
    error: { error: { message: 'Request 1 of the batch: no channel of the model "m" takes batches.' } },
  })
})
