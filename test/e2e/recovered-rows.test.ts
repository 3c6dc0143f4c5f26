import { describe, expect, it } from 'vitest'
import { healthViewSchema } from '../../src/admin/health-contract.ts'
import { rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import {
  type RequestDetailView,
  requestDetailSchema,
  requestListSchema,
} from '../../src/admin/requests/request-contract.ts'
import { explainRequest } from '../../src/cli/output/explain-request.ts'
import { createAdvancingClock } from '../support/advancing-clock.ts'
import { answerStrictly } from '../support/agent/speech.ts'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { createGate } from '../support/gate.ts'
import { type OpenGateway, openGateway, type Script } from '../support/open-gateway.ts'
import { jsonAnswer, sseAnswer } from '../support/scripted-upstream.ts'
import { testKey } from '../support/start-gateway.ts'

const messages = [{ role: 'user', content: 'Tell me of the sea.' }]
const chunk = (choices: readonly object[], more: object = {}) =>
  `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices, ...more })}\n\n`
const words = (content: string) => chunk([{ index: 0, delta: { content }, finish_reason: null }])
const usage = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 }
const rest = [
  chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
  chunk([], { usage }),
  'data: [DONE]\n\n',
]
const broken = sseAnswer([words('The sea is '), words('wide and blue')], 'reset')
const good = sseAnswer([words('The sea '), words('is wide and blue and deep.'), ...rest])
const verified = 'recovery: { mid_stream: verified }\n'
const priced = 'models: { m: { price: { input: 1, output: 2 } } }\n'

/** The stored row of the only request. */
async function rowOf({ gateway }: OpenGateway): Promise<RequestDetailView> {
  const admin = createAskAdmin(gateway.url)
  const read = async () => requestListSchema.parse((await admin('GET', '/requests')).body)
  // Another process may still be writing the row.
  await expect.poll(async () => (await read()).data.length, { timeout: 30_000 }).toBeGreaterThan(0)
  const list = await read()
  return requestDetailSchema.parse((await admin('GET', `/requests/${list.data[0]?.request_id}`)).body)
}

async function untilQueued({ gateway }: OpenGateway): Promise<void> {
  const admin = createAskAdmin(gateway.url)
  const countWaiting = async () => healthViewSchema.parse((await admin('GET', '/health')).body).queue?.waiting
  await expect.poll(countWaiting).toBe(1)
}

const partsOf = ({ receive_ms, queue_ms, attempts }: RequestDetailView) =>
  receive_ms + queue_ms + attempts.reduce((sum, one) => sum + one.wait_ms + one.total_ms, 0)

const stream = { model: 'm', messages, stream: true, stream_options: { include_usage: true } }
const chat = (open: OpenGateway) => ({ url: open.gateway.url, format: 'chat' }) as const

it('the row of a recovered answer describes both calls, and when the caller got the first content', async () => {
  const clock = createAdvancingClock()
  const gate = createGate()
  const late: Script = async () => {
    await gate.opened
    return good
  }
  await using open = await openGateway({ scripts: [broken, late], more: verified, clock })
  const answer = ask(chat(open), stream)
  await open.upstreams[1]?.request(0)
  clock.advance(300)
  gate.open()
  expect((await answer).body.toString()).toContain('[DONE]')
  const row = await rowOf(open)
  expect(row).toMatchObject({ recovered: true, error: null, channel: 'channel-2' })
  expect(row.total_ms - (row.first_content_ms ?? 0)).toBeGreaterThanOrEqual(300)
  const [first, second] = row.attempts
  expect(first).toMatchObject({ lane: 'translated', usage: { estimated: true } })
  expect(first?.usage?.output_tokens).toBeGreaterThanOrEqual(6)
  expect(second?.usage).toMatchObject({ output_tokens: 4, estimated: false })
  expect(row.output_tokens).toBe((first?.usage?.output_tokens ?? 0) + 4)
  expect(explainRequest(row)).toContain('the stream broke off, and the last attempt made it whole')
})

it('a row names no channel whose content was not shown, but includes its cost', async () => {
  const other = sseAnswer([words('Mountains are high.'), ...rest])
  await using open = await openGateway({ scripts: [broken, other], more: verified })
  await ask(chat(open), stream)
  const row = await rowOf(open)
  expect(row).toMatchObject({ recovered: false, channel: 'channel-1', error: 'upstream_disconnected' })
  expect(row.attempts.map(({ outcome }) => outcome)).toEqual([
    'upstream_disconnected',
    'answer_not_reproduced',
  ])
})

it.each(['chat', 'messages'] as const)(
  'a broken stream to a %s caller has estimated tokens',
  async (format) => {
    await using open = await openGateway({ scripts: [broken] })
    const body = format === 'chat' ? stream : { model: 'm', messages, stream: true, max_tokens: 99 }
    await ask({ url: open.gateway.url, format }, body)
    const { usage } = await rowOf(open)
    expect(usage).toMatchObject({ estimated: true })
    expect(usage?.output_tokens).toBeGreaterThanOrEqual(6)
    expect(usage?.fresh_input_tokens).toBeGreaterThanOrEqual(5)
  },
)

it.each(['chat', 'messages'] as const)(
  'the cause for an event that is invalid for a %s caller says that it is not JSON, and where',
  async (format) => {
    const spoilt = sseAnswer([words('The sea '), 'data: {"choices":[{"delta":{"content":"is secret"}\n\n'])
    await using open = await openGateway({ scripts: [spoilt] })
    const body = format === 'chat' ? stream : { model: 'm', messages, stream: true, max_tokens: 99 }
    await ask({ url: open.gateway.url, format }, body)
    const { attempts } = await rowOf(open)
    expect(attempts[0]?.cause).toMatch(/^event 2 of the stream, from byte \d+ on, is not JSON: .* of 44$/)
    expect(attempts[0]?.cause).not.toContain('secret')
  },
)

describe('the parts of a row add up to its total', () => {
  it('if a retry waited for its time', async () => {
    const script: Script = (request, index) =>
      index === 0
        ? jsonAnswer({ error: { message: 'broken', type: 'server_error' } }, 500)
        : answerStrictly('chat', request, { text: 'Well.' })
    await using open = await openGateway({ scripts: [script] })
    await ask(chat(open), { model: 'm', messages })
    const row = await rowOf(open)
    expect(row.attempts[1]?.wait_ms).toBeGreaterThanOrEqual(240)
    expect(Math.abs(row.total_ms - partsOf(row))).toBeLessThan(60)
    expect(explainRequest(row)).toMatch(/began after a wait of \d+ ms/)
  })

  it('if the request waited in the queue', async () => {
    const clock = createAdvancingClock()
    const gate = createGate()
    const slow: Script = async (request) => {
      await gate.opened
      return answerStrictly('chat', request, { text: 'Well.' })
    }
    await using open = await openGateway({ scripts: [slow], firstMore: 'concurrency: 1', clock })
    const first = ask(chat(open), { model: 'm', messages })
    await open.upstreams[0]?.request(0)
    const second = ask(chat(open), { model: 'm', messages })
    await untilQueued(open)
    clock.advance(400)
    gate.open()
    await Promise.all([first, second])
    const row = await rowOf(open)
    expect(row.queue_ms).toBeGreaterThanOrEqual(400)
    expect(Math.abs(row.total_ms - partsOf(row))).toBeLessThan(60)
    expect(explainRequest(row)).toMatch(/waited \d+ ms in the queue/)
  })
})

/** The rows of the ledger, the oldest first. */
async function ledgerOf({ gateway }: OpenGateway, count: number) {
  const admin = createAskAdmin(gateway.url)
  const rows = async () => rowListSchema.parse((await admin('GET', '/ledger')).body).data.toReversed()
  await expect.poll(async () => (await rows()).length, { timeout: 30_000 }).toBe(count)
  return (await rows()).map(({ flags, cost_usd: cost, charged_usd: charged }) => ({ flags, cost, charged }))
}

it('the call that completes a broken stream is marked in the ledger, and the operator pays for it', async () => {
  await using open = await openGateway({ scripts: [broken, good], more: verified + priced })
  expect((await ask(chat(open), stream)).body.toString()).toContain('[DONE]')
  const [first, second] = await ledgerOf(open, 2)
  expect(first?.flags).toEqual(['failed'])
  expect(first?.charged).toBe(first?.cost)
  expect(first?.charged).toBeGreaterThan(0)
  expect(second).toEqual({ flags: ['recovered'], cost: 0.000017, charged: 0 })
})

it('a whole answer that is sent as a stream is not marked as one that completes another', async () => {
  const message = { role: 'assistant', content: 'The sea is wide.' }
  const whole = { id: 'c', object: 'chat.completion', created: 1, model: 'm', usage }
  const choices = [{ index: 0, message, finish_reason: 'stop' }]
  await using open = await openGateway({ scripts: [jsonAnswer({ ...whole, choices })], more: priced })
  expect((await ask(chat(open), stream)).body.toString()).toContain('[DONE]')
  expect(await ledgerOf(open, 1)).toMatchObject([{ flags: [] }])
})

it('a caller who leaves while another call completes a broken stream does not pay for that call', async () => {
  const gate = createGate()
  const late: Script = async () => {
    await gate.opened
    return good
  }
  await using open = await openGateway({ scripts: [broken, late], more: verified + priced })
  const leaving = new AbortController()
  const asked = fetch(`${open.gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify(stream),
    signal: leaving.signal,
  }).then((answer) => answer.text())
  await open.upstreams[1]?.request(0)
  leaving.abort()
  await expect(asked).rejects.toThrow('aborted')
  const [first, second] = await ledgerOf(open, 2)
  gate.open()
  expect(first?.charged).toBeGreaterThan(0)
  expect(second?.cost).toBeGreaterThan(0)
  expect(second?.charged).toBe(0)
})
