import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf } from '../support/judged.ts'
import { keyA, keyOfDollar, keyOfOther } from '../support/object-gateway.ts'
import {
  type BatchGateway,
  createBatchOf,
  keyOfTwo,
  lineOf,
  openBatchGateway,
  uploadLines,
} from '../support/open-batch-gateway.ts'
import { refusalOf } from '../support/open-gateway.ts'
import { probeBatches } from '../support/probe-batches.ts'
import { jsonAnswer } from '../support/scripted-upstream.ts'
import { needsOneProcess, SHARES } from '../support/topology/needs.ts'

const refusal = jsonAnswer({ error: { message: 'No such File object', type: 'invalid_request_error' } }, 404)
const twoLines = [lineOf(1), lineOf(2)]

/** The rows of the ledger, the newest first. */
async function rowsOf({ gateway }: BatchGateway): Promise<readonly Record<string, unknown>[]> {
  const { body } = await createAskAdmin(gateway.url)('GET', '/ledger?limit=100')
  const { data } = body as { readonly data: readonly Record<string, unknown>[] }
  return data
}

describe("the OpenAI SDK's files", () => {
  it('are uploaded for batches with the upstream’s model name, and read with the caller’s', async () => {
    await using open = await openBatchGateway()
    const client = open.clientOf(keyA)
    const file = await uploadLines(client, twoLines)
    expect(file).toMatchObject({ object: 'file', purpose: 'batch', filename: 'requests.jsonl' })
    const [content = ''] = open.upstream.files.values()
    expect(content.split('\n')).toEqual([...twoLines.map((line) => line.replace('"m"', '"upstream-m"')), ''])
    const read = await (await client.files.content(file.id)).text()
    expect(read).toBe(`${twoLines.join('\n')}\n`)
  })

  it('are listed page by page, retrieved and deleted', async () => {
    await using open = await openBatchGateway()
    const client = open.clientOf(keyA)
    const made = [await uploadLines(client, [lineOf(1)]), await uploadLines(client, [lineOf(2)])]
    const ids = made.map(({ id }) => id)
    const listed: string[] = []
    for await (const { id } of client.files.list({ limit: 1 })) listed.push(id)
    expect(listed).toEqual(ids.toReversed())
    const [first = ''] = ids
    expect((await client.files.retrieve(first)).id).toBe(first)
    expect(await client.files.delete(first)).toEqual({ id: first, object: 'file', deleted: true })
    expect(await refusalOf(client.files.retrieve(first))).toMatchObject({
      status: 404,
      code: 'object_not_found',
    })
    expect(open.upstream.files.size).toBe(1)
  })

  it('are listed by their purpose and by the thousand, without those that have expired', async () => {
    await using open = await openBatchGateway()
    const client = open.clientOf(keyA)
    const { id } = await createBatchOf(client, twoLines)
    open.upstream.finish({ prompt_tokens: 1, completion_tokens: 1 })
    const { input_file_id: input, output_file_id: output } = await client.batches.retrieve(id)
    const idsOf = async (query: OpenAI.FileListParams) => {
      const listed: string[] = []
      for await (const file of client.files.list(query)) listed.push(file.id)
      return listed
    }
    expect(await idsOf({ purpose: 'batch', limit: 1 })).toEqual([input])
    expect(await idsOf({ purpose: 'batch_output', limit: 10_000 })).toEqual([output])
    expect(await idsOf({ purpose: 'assistants' })).toEqual([])
    expect(await idsOf({ order: 'asc' })).toEqual([input, output])
    open.clock.advance(30 * 86_400_000)
    expect(await idsOf({})).toEqual([])
  })

  it.each([
    ['is no JSON', ['{"custom_id":'], 'invalid_field'],
    ['has no custom_id', ['{"method":"POST","url":"/v1/chat/completions","body":{}}'], 'invalid_field'],
    ['asks a path that batches do not have', [lineOf(1, { url: '/v1/audio/speech' })], 'invalid_field'],
    ['asks another model than the first', [lineOf(1), lineOf(2, { model: 'other' })], 'invalid_field'],
    ['asks a model that is not there', [lineOf(1, { model: 'none' })], 'model_not_found'],
    ['names a stored file', [lineOf(1, { body: { file_id: 'file-1' } })], 'invalid_field'],
  ])('are refused if a line %s', async (_what, lines, code) => {
    await using open = await openBatchGateway()
    const refused = await refusalOf(uploadLines(open.clientOf(keyA), lines))
    expect(refused).toMatchObject({ code })
    expect(open.upstream.requests).toEqual([])
  })

  it('are refused if the key may not use the model', async () => {
    await using open = await openBatchGateway()
    const refused = await refusalOf(uploadLines(open.clientOf(keyOfOther), twoLines))
    expect(refused).toMatchObject({ status: 404, code: 'model_not_found' })
  })
})

describe("the OpenAI SDK's batches", () => {
  it('are created, retrieved, listed and cancelled under ids of the gateway', async () => {
    await using open = await openBatchGateway()
    const client = open.clientOf(keyA)
    const batch = await createBatchOf(client, twoLines)
    expect(batch).toMatchObject({ object: 'batch', status: 'validating', model: 'm' })
    expect((await client.batches.retrieve(batch.id)).id).toBe(batch.id)
    const listed: string[] = []
    for await (const { id } of client.batches.list()) listed.push(id)
    expect(listed).toEqual([batch.id])
    expect((await client.batches.cancel(batch.id)).status).toBe('cancelled')
  })

  it('return their output without an id of the provider, and are billed once at batch prices', async () => {
    await using open = await openBatchGateway()
    const client = open.clientOf(keyA)
    const { id } = await createBatchOf(client, twoLines)
    open.upstream.finish({ prompt_tokens: 100, completion_tokens: 10 })
    const batch = await client.batches.retrieve(id)
    const text = await (await client.files.content(batch.output_file_id ?? '')).text()
    const lines = text
      .trimEnd()
      .split('\n')
      .map((line) => fieldsOf(JSON.parse(line)))
    expect(lines.map(({ custom_id }) => custom_id)).toEqual(['line-1', 'line-2'])
    expect(JSON.stringify([batch, text])).not.toContain('REMOTE')
    await client.batches.retrieve(id)
    open.clock.advance(3_600_000)
    open.clock.look()
    // 2 × (100 × $1 + 10 × $4) for a million tokens.
    await expect.poll(async () => sumOf(await rowsOf(open), 'cost_usd')).toBe(280_000)
    expect((await rowsOf(open)).length).toBe(2)
  })

  it('are billed in the background even if no caller reads them, across a restart', async () => {
    await using open = await openBatchGateway()
    await createBatchOf(open.clientOf(keyOfDollar), twoLines)
    open.upstream.finish({ prompt_tokens: 20, completion_tokens: 5 })
    await open.restart()
    open.clock.advance(60_000)
    open.clock.look()
    await expect.poll(async () => sumOf(await rowsOf(open), 'charged_usd')).toBe(80_000)
  })

  it('are shown as they are while their output cannot be read, and billed when it can', async () => {
    await using open = await openBatchGateway()
    const client = open.clientOf(keyA)
    const { id } = await createBatchOf(client, twoLines)
    open.upstream.finish({ prompt_tokens: 20, completion_tokens: 5 })
    open.upstream.failNextContent(refusal)
    const batch = await client.batches.retrieve(id)
    expect(batch).toMatchObject({ status: 'completed', output_file_id: expect.stringMatching(/^file-/) })
    expect((await client.batches.list()).data).toEqual([batch])
    expect((await rowsOf(open)).map(({ state }) => state)).toEqual(['estimated'])
    await client.batches.retrieve(id)
    await expect.poll(async () => sumOf(await rowsOf(open), 'charged_usd')).toBe(80_000)
  })

  it('are read and billed after their model has another upstream model, which needs another file', async () => {
    await using open = await openBatchGateway()
    const file = await uploadLines(open.clientOf(keyA), twoLines)
    const asked = {
      input_file_id: file.id,
      endpoint: '/v1/chat/completions',
      completion_window: '24h',
    } as const
    const { id } = await open.clientOf(keyA).batches.create(asked)
    await open.restart((line) => line.replace('m: upstream-m', 'm: upstream-next'))
    const client = open.clientOf(keyA)
    open.upstream.finish({ prompt_tokens: 20, completion_tokens: 5 })
    const { output_file_id: outputId } = await client.batches.retrieve(id)
    expect(await (await client.files.content(outputId ?? '')).text()).toContain('line-2')
    await expect.poll(async () => sumOf(await rowsOf(open), 'charged_usd')).toBe(80_000)
    expect(await refusalOf(client.batches.create(asked))).toMatchObject({ code: 'invalid_field' })
    expect((await client.files.delete(file.id)).deleted).toBe(true)
  })

  it('do not delay the end of the gateway while their provider does not answer', async () => {
    await using open = await openBatchGateway()
    await createBatchOf(open.clientOf(keyA), twoLines)
    const asked = open.upstream.requests.length
    open.upstream.failNext({ ending: 'silence' })
    open.clock.advance(60_000)
    open.clock.look()
    await expect.poll(() => open.upstream.requests.length).toBe(asked + 1)
    const startedAtMs = performance.now()
    await open.restart()
    expect(performance.now() - startedAtMs).toBeLessThan(20_000)
    open.upstream.finish({ prompt_tokens: 5, completion_tokens: 7 })
    open.clock.look()
    await expect.poll(async () => (await rowsOf(open)).map(({ state }) => state)).toContain('settled')
  })

  it('reserve their worst case in an exact budget, which refuses what does not fit', async () => {
    await using open = await openBatchGateway()
    const client = open.clientOf(keyOfDollar)
    // Each line may cost $0.40 for its output.
    const large = lineOf(1, { maxTokens: 100_000 })
    await createBatchOf(client, [large, large])
    const refused = await refusalOf(createBatchOf(client, [large]))
    expect(refused).toMatchObject({ status: 429 })
    open.upstream.finish({ prompt_tokens: 100, completion_tokens: 10 })
    open.clock.advance(60_000)
    open.clock.look()
    await expect.poll(async () => sumOf(await rowsOf(open), 'charged_usd')).toBe(280_000)
    expect((await createBatchOf(client, [large])).status).toBe('validating')
  })

  it('cost nothing if the provider refuses them, and its message names no object of it', async () => {
    await using open = await openBatchGateway()
    const client = open.clientOf(keyOfDollar)
    const { id } = await uploadLines(client, twoLines)
    const [remote = ''] = open.upstream.files.keys()
    const message = `No such File object: ${remote}`
    open.upstream.failNext({
      status: 400,
      headers: { 'content-type': 'application/json' },
      chunks: [JSON.stringify({ error: { message, type: 'invalid_request_error', code: null } })],
    })
    const asked = { input_file_id: id, endpoint: '/v1/chat/completions', completion_window: '24h' } as const
    const refused = await refusalOf(client.batches.create(asked))
    expect(refused).toMatchObject({ status: 400 })
    expect(JSON.stringify(refused) + String(refused)).not.toContain('REMOTE')
    await expect.poll(async () => sumOf(await rowsOf(open), 'charged_usd')).toBe(0)
  })

  it('use the rate limits of their key, as files do', async () => {
    needsOneProcess(SHARES)
    await using open = await openBatchGateway()
    const client = open.clientOf(keyOfTwo)
    await createBatchOf(client, twoLines)
    const sent = open.upstream.requests.length
    for (const ask of [
      () => client.files.list(),
      () => client.batches.list(),
      () => uploadLines(client, twoLines),
    ])
      expect(await refusalOf(ask())).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(open.upstream.requests.length).toBe(sent)
    open.clock.advance(60_000)
    const { data, response } = await client.files.list().withResponse()
    expect(data.data.length).toBe(1)
    expect(response.headers.get('x-ratelimit-limit-requests')).toBe('2')
  })

  it('have their rows in the request log', async () => {
    await using open = await openBatchGateway()
    await createBatchOf(open.clientOf(keyA), twoLines)
    const ask = createAskAdmin(open.gateway.url)
    const rows = async () => {
      const { body } = await ask('GET', '/requests?limit=10')
      return (body as { readonly data: readonly Record<string, unknown>[] }).data
    }
    await expect.poll(async () => (await rows()).length).toBe(2)
    const details: unknown[] = []
    for (const { request_id } of await rows()) {
      const { body } = await ask('GET', `/requests/${String(request_id)}`)
      const { path, status, channel, model } = fieldsOf(body)
      details.push([path, status, channel, model])
    }
    expect(details).toEqual([
      ['/v1/batches', 200, 'c', 'm'],
      ['/v1/files', 200, 'c', 'm'],
    ])
  })
})

function sumOf(rows: readonly Record<string, unknown>[], name: string): number {
  return rows.reduce((sum, row) => sum + Math.round(Number(row[name]) * 1e9), 0)
}

it('no key learns of the objects of another key, in 500 probes', async () => {
  expect(await probeBatches(10)).toBeGreaterThanOrEqual(500)
})
