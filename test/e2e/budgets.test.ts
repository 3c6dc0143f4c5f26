import { DatabaseSync } from 'node:sqlite'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { flagBits } from '../../src/storage/ledger/ledger-tables.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import {
  jsonAnswer,
  openScriptedUpstream,
  sseAnswer,
  type UpstreamHandler,
} from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'
import { ledgerFileIn } from '../support/topology/needs.ts'

const secret = 'sk-budget-0123456789abcdef'
const usage = { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 }
const whole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  service_tier: 'default',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage,
}
const answer: UpstreamHandler = () => jsonAnswer(whole)
/** 10 tokens of input for a dollar a million and 20 of output for 2: 50 millionths. */
const price = 'price: { input: 1, output: 2 }'

async function open(key: string, { script = answer, more = '' } = {}) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openScriptedUpstream(script))
  const channels = channelYaml({
    name: 'first',
    format: 'chat',
    origin: upstream.origin,
    models: ['m', 'cheap'],
  })
  const models = more.includes('models:') ? '' : `models: { m: { ${price} } }\n`
  const keys = `keys:\n  - { name: ci, secret: ${secret}, ${key} }\n`
  const gateway = cleanup.use(await startGateway(keys + channels + models + more))
  const open = cleanup.move()
  return { upstream, gateway, [Symbol.asyncDispose]: () => open.disposeAsync() }
}

async function send({ url }: StartedGateway, more: object = {}, headers: Record<string, string> = {}) {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({
      model: 'm',
      max_tokens: 100,
      messages: [{ role: 'user', content: 'Hi' }],
      ...more,
    }),
  })
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}

/** The ledger of a gateway that has ended. */
function readLedger(dataFolder: string) {
  const database = new DatabaseSync(ledgerFileIn(dataFolder), { readOnly: true })
  const rows = database.prepare('select state, flags, cost, charged from ledger order by number').all()
  const { intents } = database.prepare('select count(*) as intents from open_intents').get() ?? {}
  const { spent } = database.prepare('select coalesce(sum(spent), 0) as spent from windows').get() ?? {}
  database.close()
  return { rows, intents, spent }
}

describe('the ledger', () => {
  it('has a row for an answer, and the caller gets its cost', async () => {
    const { gateway, upstream, ...opened } = await open('budgets: [{ limit_usd: 5, window: day }]')
    const { status, headers } = await send(gateway)
    expect([status, headers.get('x-headgate-cost')]).toEqual([200, '0.00005'])
    await gateway.close(0)
    expect(readLedger(gateway.dataFolder)).toEqual({
      rows: [{ state: 1, flags: 0, cost: 50_000, charged: 50_000 }],
      intents: 0,
      spent: 50_000,
    })
    await opened[Symbol.asyncDispose]()
  })

  it('marks an attempt that broke off after its first content as failed', async () => {
    const chunk = JSON.stringify({ choices: [{ index: 0, delta: { content: 'Hi.' } }] })
    const cut = sseAnswer([`data: ${chunk}\n\n`], 'reset')
    const opened = await open('budgets: [{ limit_usd: 5, window: day }]', { script: () => cut })
    await send(opened.gateway, { stream: true }).catch(() => undefined)
    await opened.gateway.close(0)
    const [row] = readLedger(opened.gateway.dataFolder).rows
    expect(Number(row?.['flags']) & flagBits.failed).toBe(flagBits.failed)
    expect(Number(row?.['charged'])).toBeGreaterThan(0)
    await opened[Symbol.asyncDispose]()
  })

  it('has the usage of a stream', async () => {
    const chunks = [
      { choices: [{ index: 0, delta: { content: 'Hi.' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage },
    ]
    const stream = sseAnswer(
      [...chunks.map((chunk) => JSON.stringify(chunk)), '[DONE]'].map((data) => `data: ${data}\n\n`),
    )
    const opened = await open('budgets: [{ limit_usd: 5, window: day }]', { script: () => stream })
    expect((await send(opened.gateway, { stream: true })).text).toContain('[DONE]')
    await opened.gateway.close(0)
    expect(readLedger(opened.gateway.dataFolder)).toMatchObject({ rows: [{ cost: 50_000 }], intents: 0 })
    await opened[Symbol.asyncDispose]()
  })
})

it('an answer has its cost in its usage if the caller requests it', async () => {
  await using opened = await open('models: ["*"]')
  const { text } = await send(opened.gateway, {}, { 'x-headgate-usage': 'cost' })
  expect(JSON.parse(text)).toMatchObject({ usage: { ...usage, cost: 0.00005 } })
})

describe('a spent budget', () => {
  const budget = 'budgets: [{ limit_usd: 0.0003, window: day, at_limit: refuse }]'

  it('refuses a request that does not fit, names itself, and the OpenAI SDK does not retry', async () => {
    await using opened = await open(budget)
    await send(opened.gateway)
    let requests = 0
    const client = new OpenAI({
      apiKey: secret,
      baseURL: `${opened.gateway.url}/v1`,
      fetch: (...input) => {
        requests += 1
        return fetch(...input)
      },
    })
    const ask = () =>
      client.chat.completions.create({
        model: 'm',
        max_tokens: 200,
        messages: [{ role: 'user', content: 'Hi' }],
      })
    await expect(ask()).rejects.toThrow('ci/day')
    expect(requests).toBe(1)
    expect(opened.upstream.requests).toHaveLength(1)
  })

  it('of one of many customers is named with the customer, in the answer and in the request log', async () => {
    const ofEach = 'end_user_budget: { limit_usd: 0.0001, window: day, at_limit: refuse }'
    await using opened = await open(ofEach)
    const { text, headers } = await send(opened.gateway, { user: 'carol' })
    expect(text).toContain(String.raw`the budget \"key:ci/end_user/day\" of \"carol\" does not hold`)
    const ask = createAskAdmin(opened.gateway.url)
    const id = headers.get('x-request-id')
    await expect
      .poll(async () => (await ask('GET', `/requests/${id}`)).body)
      .toMatchObject({
        error: 'budget_exceeded',
        cause: expect.stringContaining('the budget "key:ci/end_user/day" of "carol"'),
      })
  })

  it('does not stop requests of another key', async () => {
    const other = 'sk-other-0123456789abcdef'
    await using opened = await open(`${budget} }\n  - { name: other, secret: ${other}`)
    const response = await fetch(`${opened.gateway.url}/v1/models`, {
      headers: { authorization: `Bearer ${other}` },
    })
    expect(response.status).toBe(200)
  })
})

it('a request that does not fit a budget is clamped, and the answer says so', async () => {
  // Where several processes share it, a request is granted half of what is left.
  await using opened = await open('budgets: [{ limit_usd: 0.03, window: day }]')
  const { status, headers } = await send(opened.gateway, { max_tokens: 100_000 })
  expect(status).toBe(200)
  const cap = Number(headers.get('x-headgate-clamped'))
  expect(cap).toBeGreaterThan(4_096)
  const [request] = opened.upstream.requests
  expect(JSON.parse(request?.body.toString() ?? '')).toMatchObject({ max_tokens: cap })
})

it('at its limit a budget redirects to the model that the operator configured', async () => {
  const models = `models: { m: { price: { input: 1000, output: 1000 } }, cheap: { ${price} } }\n`
  await using opened = await open(
    'budgets: [{ limit_usd: 0.01, window: day, at_limit: fallback, fallback: cheap }]',
    { more: models },
  )
  const { status, headers } = await send(opened.gateway)
  expect([status, headers.get('x-headgate-model')]).toEqual([200, 'cheap'])
})

it('a model without a price is refused to a key with a limit in money, and served to others', async () => {
  await using limited = await open('budgets: [{ limit_usd: 5, window: day }]', {
    more: 'models: { m: {} }\n',
  })
  const refused = await send(limited.gateway)
  expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('model_unpriced')])
  await using free = await open('models: ["*"]', { more: 'models: { m: {} }\n' })
  expect((await send(free.gateway)).status).toBe(200)
})

it('of many equal concurrent requests, exactly as many are served as fit the budget', async () => {
  // Each holds 100 tokens of output and its body: exactly 3 fit.
  await using opened = await open('budgets: [{ limit_usd: 0.0008, window: day, at_limit: refuse }]')
  const answers = await Promise.all(Array.from({ length: 40 }, () => send(opened.gateway)))
  const served = answers.filter(({ status }) => status === 200).length
  expect(served).toBeGreaterThan(2)
  expect(opened.upstream.requests).toHaveLength(served)
  await opened.gateway.close(0)
  const { rows, spent } = readLedger(opened.gateway.dataFolder)
  expect(rows).toHaveLength(served)
  expect(spent).toBe(served * 50_000)
})
