import { expect, it } from 'vitest'
import { rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import { readBill } from '../long/price-truth/read-bill.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { keyA, keyOfDollar, type ObjectGateway } from '../support/object-gateway.ts'
import { createBatchOf, lineOf, openBatchGateway } from '../support/open-batch-gateway.ts'
import { openGeminiGateway } from '../support/open-gemini-gateway.ts'
import { openMessageGateway, requestOf } from '../support/open-message-gateway.ts'
import { awkwardPrice, priceAwkwardly, rowNanos } from '../support/operation-bill/awkward-price.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const price = awkwardPrice

/** The sums of all rows. A correction is a row of its own, which takes back what is too much. */
async function sumsOf({ gateway }: ObjectGateway<AsyncDisposable, unknown>) {
  const answer = await createAskAdmin(gateway.url)('GET', '/ledger?limit=200')
  const { data } = rowListSchema.parse(answer.body)
  const sum = (amounts: readonly number[]) => amounts.map(rowNanos).reduce((left, right) => left + right, 0n)
  return {
    cost: sum(data.map(({ cost_usd }) => cost_usd)),
    charged: sum(data.map(({ charged_usd }) => charged_usd)),
  }
}

function priceOf(api: string, answer: object, tier: string): bigint {
  const bill = readBill({ api, provider: 'any', payloads: [answer] })
  if (bill === undefined) throw new Error('no usage')
  return priceAwkwardly(bill, tier)
}

function settle({ clock }: Pick<ObjectGateway<AsyncDisposable, unknown>, 'clock'>): void {
  clock.advance(60_000)
  clock.look()
}

const chatUsage = {
  prompt_tokens: 1_003,
  completion_tokens: 7,
  prompt_tokens_details: { cached_tokens: 301 },
}
const messageUsage = {
  input_tokens: 103,
  cache_read_input_tokens: 57,
  cache_creation_input_tokens: 31,
  output_tokens: 7,
}
const threeLines = [1, 2, 3].map((index) => lineOf(index))
const three = ['one', 'two', 'three'].map((name) => requestOf(name))

it('a batch of OpenAI costs the sum of its requests, each priced independently', async () => {
  await using open = await openBatchGateway({ price })
  await createBatchOf(open.clientOf(keyA), threeLines)
  open.upstream.finish(chatUsage)
  settle(open)
  const expected = 3n * priceOf('openai.chat', { usage: chatUsage }, 'batch')
  await expect.poll(() => sumsOf(open)).toEqual({ cost: expected, charged: expected })
})

it.each<[string, (lines: readonly string[]) => readonly string[]]>([
  [
    'an answer states no usage',
    ([first = '', ...others]) => [first.replace('"usage"', '"no_usage"'), ...others],
  ],
  ['answers are missing', (lines) => lines.slice(1)],
])(
  'the cost of a batch of OpenAI stays an estimate if %s, until all usage is known',
  async (_what, change) => {
    await using open = await openBatchGateway({ price })
    await createBatchOf(open.clientOf(keyOfDollar), threeLines)
    const held = await sumsOf(open)
    open.upstream.finish(chatUsage, change)
    const asked = open.upstream.requests.length
    settle(open)
    await expect.poll(() => open.upstream.requests.length).toBeGreaterThan(asked + 1)
    expect(await sumsOf(open)).toEqual(held)
    expect(held.charged).toBeGreaterThan(0n)
  },
)

it('the cost of a batch of OpenAI stays an estimate if the usage of an answer has only zeros', async () => {
  await using open = await openBatchGateway({ price })
  const client = open.clientOf(keyOfDollar)
  const { id } = await createBatchOf(client, threeLines)
  const held = await sumsOf(open)
  open.upstream.finish({ prompt_tokens: 0, completion_tokens: 0 })
  expect((await client.batches.retrieve(id)).status).toBe('completed')
  expect(await sumsOf(open)).toEqual(held)
})

it('a batch of OpenAI of a key without a budget costs its maximum until its usage is known', async () => {
  await using open = await openBatchGateway({ price })
  await createBatchOf(open.clientOf(keyOfDollar), threeLines)
  const held = await sumsOf(open)
  expect(held.charged).toBeGreaterThan(0n)
  await createBatchOf(open.clientOf(keyA), threeLines)
  await expect.poll(() => sumsOf(open)).toEqual({ cost: 2n * held.cost, charged: 2n * held.charged })
  open.upstream.finish(chatUsage, (lines) => lines.slice(1))
  settle(open)
  const readOutputs = () => open.upstream.requests.filter(({ path }) => path.endsWith('/content')).length
  await expect.poll(readOutputs).toBe(2)
  expect(await sumsOf(open)).toEqual({ cost: 2n * held.cost, charged: 2n * held.charged })
})

it('a batch of messages of a key without a budget costs its maximum until its usage is known', async () => {
  await using open = await openMessageGateway({ price })
  await open.clientOf(keyOfDollar).messages.batches.create({ requests: three })
  const held = await sumsOf(open)
  expect(held.charged).toBeGreaterThan(0n)
  await open.clientOf(keyA).messages.batches.create({ requests: three })
  await expect.poll(() => sumsOf(open)).toEqual({ cost: 2n * held.cost, charged: 2n * held.charged })
})

it('the output of an ended batch that stays incomplete is read twice, and not with every later look', async () => {
  await using open = await openBatchGateway({ price })
  const client = open.clientOf(keyOfDollar)
  const { id } = await createBatchOf(client, threeLines)
  const held = await sumsOf(open)
  open.upstream.finish(chatUsage, (lines) => lines.slice(1))
  for (let look = 0; look < 4; look += 1) expect((await client.batches.retrieve(id)).status).toBe('completed')
  expect(open.upstream.requests.filter(({ path }) => path.endsWith('/content'))).toHaveLength(2)
  expect(await sumsOf(open)).toEqual(held)
})

it.each<[string, (lines: readonly string[]) => readonly string[]]>([
  [
    'an answer without usage',
    ([first = '', ...others]) => [first.replace('"usage"', '"no_usage"'), ...others],
  ],
  ['too few answers', (lines) => lines.slice(1)],
  [
    'an answer whose usage counts nothing',
    ([first = '', ...others]) => [
      first.replace(/"usage":\{.*?\}/, '"usage":{"input_tokens":0,"output_tokens":0}'),
      ...others,
    ],
  ],
])(
  'the results of an ended batch of messages with %s are read twice, and its key sees that it is over',
  async (_what, change) => {
    await using open = await openMessageGateway({ price })
    const { batches } = open.clientOf(keyOfDollar).messages
    const { id } = await batches.create({ requests: three })
    const held = await sumsOf(open)
    open.upstream.finish(messageUsage, change)
    for (let look = 0; look < 4; look += 1)
      expect((await batches.retrieve(id)).processing_status).toBe('ended')
    expect(open.upstream.requests.filter(({ path }) => path.endsWith('/results'))).toHaveLength(2)
    expect(await sumsOf(open)).toEqual(held)
    expect((await batches.delete(id)).type).toBe('message_batch_deleted')
  },
)

it('a batch of messages costs the sum of its requests, each priced independently', async () => {
  await using open = await openMessageGateway({ price })
  await open.clientOf(keyA).messages.batches.create({ requests: three })
  open.upstream.finish(messageUsage)
  settle(open)
  const expected = 3n * priceOf('anthropic.messages', { usage: messageUsage }, 'batch')
  await expect.poll(() => sumsOf(open)).toEqual({ cost: expected, charged: expected })
})

it('the cost of a request that reads cached content of Gemini matches an independent calculation', async () => {
  await using open = await openGeminiGateway({ price })
  const client = open.clientOf(keyA)
  const { name = '' } = await client.caches.create({ model: 'm', config: { contents: 'A long text' } })
  await client.models.generateContent({ model: 'm', contents: 'Hi', config: { cachedContent: name } })
  const usageMetadata = {
    promptTokenCount: 5_010,
    cachedContentTokenCount: 5_000,
    candidatesTokenCount: 2,
    totalTokenCount: 5_012,
  }
  const expected = priceOf('gemini.generateContent', { usageMetadata }, 'standard')
  await expect.poll(() => sumsOf(open)).toEqual({ cost: expected, charged: expected })
})

it('a key with an exact dollar never pays more for a batch of OpenAI that used more, and the cost shows the excess', async () => {
  await using open = await openBatchGateway({ price })
  await createBatchOf(open.clientOf(keyOfDollar), threeLines)
  const usage = { prompt_tokens: 900_001, completion_tokens: 70_003 }
  open.upstream.finish(usage)
  settle(open)
  const expected = 3n * priceOf('openai.chat', { usage }, 'batch')
  await expect.poll(async () => (await sumsOf(open)).cost).toBe(expected)
  expect(expected).toBeGreaterThan(10n ** 9n)
  expect((await sumsOf(open)).charged).toBeLessThanOrEqual(10n ** 9n)
})

it('a key with an exact dollar never pays more for a batch of messages that used more, and the cost shows the excess', async () => {
  await using open = await openMessageGateway({ price })
  await open.clientOf(keyOfDollar).messages.batches.create({ requests: three })
  const usage = { input_tokens: 900_001, output_tokens: 70_003 }
  open.upstream.finish(usage)
  settle(open)
  const expected = 3n * priceOf('anthropic.messages', { usage }, 'batch')
  await expect.poll(async () => (await sumsOf(open)).cost).toBe(expected)
  expect(expected).toBeGreaterThan(10n ** 9n)
  expect((await sumsOf(open)).charged).toBeLessThanOrEqual(10n ** 9n)
})

/** The sum of a metric over all its labels, in nano-dollars. */
async function metricOf(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  const values = text
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`))
    .map((line) => Number(line.split(' ').at(-1)))
  return Math.round(values.reduce((left, right) => left + right, 0) * 1e9)
}

it.each([
  ['takes back', { prompt_tokens: 1, completion_tokens: 1 }],
  ['adds', chatUsage],
])('the metrics of money count a batch at its maximum, and what its correction %s', async (_what, usage) => {
  needsOneProcess('it reads the metrics of one process')
  await using open = await openBatchGateway({ price })
  await createBatchOf(open.clientOf(keyA), threeLines)
  await expect.poll(async () => (await sumsOf(open)).charged).toBeGreaterThan(0n)
  const held = await sumsOf(open)
  const read = (name: string) => metricOf(open.gateway.url, name)
  const readNet = async (sum: 'cost' | 'charged') =>
    BigInt((await read(`headgate_${sum}_usd_total`)) - (await read(`headgate_${sum}_reversed_usd_total`)))
  expect({ cost: await readNet('cost'), charged: await readNet('charged') }).toEqual(held)
  open.upstream.finish(usage)
  settle(open)
  const expected = 3n * priceOf('openai.chat', { usage }, 'batch')
  await expect.poll(() => sumsOf(open)).toEqual({ cost: expected, charged: expected })
  await expect
    .poll(async () => [await readNet('cost'), await readNet('charged')])
    .toEqual([expected, expected])
  expect((await read('headgate_cost_reversed_usd_total')) > 0).toBe(held.cost > expected)
})
