import { expect, it } from 'vitest'
import { fieldsOf } from '../support/judged.ts'
import { openLiveUpstream } from '../support/live-upstream.ts'
import { priceAwkwardly, rowNanos } from '../support/operation-bill/awkward-price.ts'
import { openSessionGateway, sessionKey } from '../support/operation-bill/open-session-gateway.ts'
import { readLiveBill, readRealtimeBill } from '../support/operation-bill/read-operation-bill.ts'
import { openRealtimeUpstream } from '../support/realtime-upstream.ts'
import { openSocket, type SocketClient } from '../support/socket-client.ts'

const livePath = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const dollar = 'budgets: [{ limit_usd: 1, window: month, mode: exact, at_limit: refuse }]'
type Sessions = Awaited<ReturnType<typeof openSessionGateway>>

async function openRealtime(usage: object, keyMore = '', isManual = false) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openRealtimeUpstream({ usage, isManual }))
  const baseUrl = `${upstream.origin}/v1`
  const gateway = cleanup.use(await openSessionGateway({ provider: 'openai', baseUrl, keyMore }))
  const client = cleanup.use(
    await openSocket(gateway.url, { key: sessionKey, path: '/v1/realtime?model=voice' }),
  )
  const opened = cleanup.move()
  return { gateway, client, upstream, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

async function openLive(usage: object, keyMore = '') {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openLiveUpstream({ usage }))
  const baseUrl = `${upstream.origin}/v1beta`
  const gateway = cleanup.use(await openSessionGateway({ provider: 'gemini', baseUrl, keyMore }))
  const client = cleanup.use(
    await openSocket(gateway.url, { key: '', path: `${livePath}?key=${sessionKey}` }),
  )
  client.send({ setup: { model: 'models/voice' } })
  await expect.poll(() => client.events.length).toBe(1)
  const opened = cleanup.move()
  return { gateway, client, [Symbol.asyncDispose]: () => opened.disposeAsync() }
}

/** Asks for one response after the other until the session ends, or for so many. */
async function talk(client: SocketClient, responses: number): Promise<number> {
  const done = () =>
    client.events.filter(
      ({ type, ...event }) =>
        type === 'response.done' || fieldsOf(event['serverContent'])['turnComplete'] === true,
    ).length
  const isOver = () => client.socket.readyState !== client.socket.OPEN
  const isLive = client.events.some((event) => event['setupComplete'] !== undefined)
  const turns = [{ role: 'user', parts: [{ text: 'Go on.' }] }]
  for (let asked = 1; asked <= responses && !isOver(); asked += 1) {
    client.send(isLive ? { clientContent: { turns, turnComplete: true } } : { type: 'response.create' })
    await expect.poll(() => isOver() || done() >= asked).toBe(true)
  }
  return done()
}

async function rowsOf(gateway: Sessions, count: number) {
  await expect.poll(async () => (await gateway.rows()).length).toBe(count)
  return (await gateway.rows()).map(({ cost_usd, charged_usd, state }) => ({
    cost: rowNanos(cost_usd),
    charged: rowNanos(charged_usd),
    state,
  }))
}

function realtimeUsage(output: { readonly text_tokens: number; readonly audio_tokens: number }) {
  return {
    total_tokens: 257 + output.text_tokens + output.audio_tokens,
    input_tokens: 257,
    output_tokens: output.text_tokens + output.audio_tokens,
    input_token_details: {
      text_tokens: 121,
      audio_tokens: 83,
      image_tokens: 53,
      cached_tokens: 64,
      cached_tokens_details: { text_tokens: 31, audio_tokens: 20, image_tokens: 13 },
    },
    output_token_details: output,
  }
}

function liveUsage(sound: number, words: number) {
  return {
    promptTokenCount: 211,
    responseTokenCount: sound + words,
    thoughtsTokenCount: 23,
    totalTokenCount: 234 + sound + words,
    promptTokensDetails: [
      { modality: 'TEXT', tokenCount: 101 },
      { modality: 'AUDIO', tokenCount: 67 },
      { modality: 'IMAGE', tokenCount: 43 },
    ],
    responseTokensDetails: [
      { modality: 'TEXT', tokenCount: words },
      { modality: 'AUDIO', tokenCount: sound },
    ],
  }
}

it('the rows of a realtime session match an independent calculation', async () => {
  const usage = realtimeUsage({ text_tokens: 41, audio_tokens: 59 })
  await using open = await openRealtime(usage)
  await talk(open.client, 2)
  const cost = priceAwkwardly(readRealtimeBill(usage))
  const row = { cost, charged: cost, state: 'settled' }
  expect(await rowsOf(open.gateway, 2)).toEqual([row, row])
})

it('each response of a realtime session has its row, though the provider sends the start of one twice', async () => {
  await using open = await openRealtime({}, dollar, true)
  const provider = await open.upstream.session(0)
  await open.client.next('session.created')
  for (const index of [0, 1]) {
    open.client.send({ type: 'response.create', response: { conversation: 'none' } })
    await provider.next('response.create', index)
  }
  const begun = { type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } }
  provider.send(begun)
  provider.send(begun)
  await open.client.next('response.created')
  provider.socket.close(1000)
  await open.client.closed
  const rows = await rowsOf(open.gateway, 2)
  expect(rows.map(({ state }) => state)).toEqual(['estimated', 'estimated'])
})

it('the rows of a Live session match an independent calculation', async () => {
  const usage = liveUsage(71, 37)
  await using open = await openLive(usage)
  await talk(open.client, 2)
  const cost = priceAwkwardly(readLiveBill(usage))
  const row = { cost, charged: cost, state: 'settled' }
  expect(await rowsOf(open.gateway, 2)).toEqual([row, row])
})

it.each([
  ['realtime', openRealtime, realtimeUsage({ text_tokens: 7, audio_tokens: 50_003 }), readRealtimeBill],
  ['Live', openLive, liveUsage(50_003, 7), readLiveBill],
] as const)(
  'a key with an exact dollar never pays more for a %s session, even if the provider used more, and the cost shows the excess',
  async (_kind, openIt, usage, readBill) => {
    await using open = await openIt(usage, dollar)
    const done = await talk(open.client, 300)
    expect((await open.client.closed)[0]).toBe(1008)
    const rows = await rowsOf(open.gateway, done)
    const cost = priceAwkwardly(readBill(usage))
    expect(new Set(rows.map((row) => row.cost))).toEqual(new Set([cost]))
    const charged = rows.reduce((sum, row) => sum + row.charged, 0n)
    expect(charged).toBeLessThanOrEqual(10n ** 9n)
    expect(cost * BigInt(rows.length)).toBeGreaterThan(10n ** 9n)
    expect(rows.length).toBeGreaterThan(3)
  },
)

const realtimeZeros = {
  ...realtimeUsage({ text_tokens: 0, audio_tokens: 0 }),
  total_tokens: 0,
  input_tokens: 0,
  input_token_details: {},
}
const liveZeros = { promptTokenCount: 0, responseTokenCount: 0, totalTokenCount: 0 }

it.each([
  ['realtime', openRealtime, realtimeZeros],
  ['Live', openLive, liveZeros],
])('a %s response with content whose usage is zeros is not free', async (_kind, openIt, zeros) => {
  await using open = await openIt(zeros)
  await talk(open.client, 1)
  const [row] = await rowsOf(open.gateway, 1)
  expect(row?.state).toBe('estimated')
  expect(row?.charged).toBeGreaterThan(0n)
})

it('a realtime response that ends before its first content may cost nothing', async () => {
  await using open = await openRealtime({}, '', true)
  const provider = await open.upstream.session(0)
  await open.client.next('session.created')
  open.client.send({ type: 'response.create' })
  await provider.next('response.create')
  provider.send({ type: 'response.created', response: { id: 'resp_1', status: 'in_progress' } })
  const response = { id: 'resp_1', status: 'cancelled', output: [], usage: realtimeZeros }
  provider.send({ type: 'response.done', response })
  await open.client.next('response.done')
  expect(await rowsOf(open.gateway, 1)).toMatchObject([{ state: 'settled', charged: 0n }])
})
