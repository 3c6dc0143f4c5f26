import { GoogleGenAI, Modality, type Tool } from '@google/genai'
import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { openLiveUpstream } from '../support/live-upstream.ts'
import { openRealtimeUpstream } from '../support/realtime-upstream.ts'
import { openSocket } from '../support/socket-client.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

/** A response of either provider costs 0.00784 dollars at this price: 200 tokens in, 120 out. */
const price = { input: 4, output: 16 }
const COST = (200 * 4 + 120 * 16) / 1e6
const day = { limit_usd: 5, window: 'day' }

/** A gateway with a group, a key in it and a price, all of the admin API, so that they can change during a session. */
async function open(provider: 'openai' | 'gemini', origin: string, terms: object) {
  needsOneProcess('a change of the admin API reaches the other processes a moment later')
  await using cleanup = new AsyncDisposableStack()
  const version = provider === 'openai' ? 'v1' : 'v1beta'
  const gateway = cleanup.use(
    await startGateway(`channels:
  - name: voices
    provider: ${provider}
    base_url: "${origin}/${version}"
    api_key: sk-upstream-0123456789
    allow_private: true
    models: { inner: upstream-voice }
`),
  )
  const ask = createAskAdmin(gateway.url)
  const admin = async (method: string, path: string, body?: object) => {
    const answer = await ask(method, path, body === undefined ? {} : { body })
    if (answer.status > 299) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`)
    return fieldsOf(answer.body)
  }
  const model = { targets: ['voices/inner'], max_output_tokens: 1_000, context_window: 4_000 }
  await admin('PUT', '/models/voice', { ...model, price })
  await admin('PUT', '/groups/callers', {})
  const { id, secret } = await admin('POST', '/keys', { name: 'ci', group: 'callers', ...terms })
  const opened = cleanup.move()
  return {
    url: gateway.url,
    secret: String(secret),
    changeKey: (change: object) => admin('PATCH', `/keys/${String(id)}`, change),
    changeGroup: (change: object) => admin('PATCH', '/groups/callers', change),
    changePrice: (changed: object) => admin('PATCH', '/models/voice', { price: changed }),
    spentOf: async (budget: string) =>
      (await admin('GET', `/budgets/${encodeURIComponent(budget)}`))['spent_usd'],
    /** What each response was charged, the oldest first. */
    async charges(count: number) {
      const read = async () =>
        listOf((await admin('GET', '/ledger?limit=100'))['data'])
          .map(fieldsOf)
          .filter(({ state }) => state !== 'void')
          .map(({ charged_usd: charged }) => charged)
          .toReversed()
      await expect.poll(async () => (await read()).length).toBe(count)
      return await read()
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

const usage = { total_tokens: 320, input_tokens: 200, output_tokens: 120 }

async function openRealtime(terms: object = { budgets: [day] }) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(await openRealtimeUpstream({ usage }))
  const gateway = cleanup.use(await open('openai', upstream.origin, terms))
  const client = cleanup.use(
    await openSocket(gateway.url, { key: gateway.secret, path: '/v1/realtime?model=voice' }),
  )
  const opened = cleanup.move()
  return {
    ...gateway,
    client,
    upstream,
    async answer() {
      const from = client.events.length
      client.send({ type: 'response.create' })
      await client.next('response.done', from)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

async function openLive(terms: object, tools: Tool[] = []) {
  await using cleanup = new AsyncDisposableStack()
  const upstream = cleanup.use(
    await openLiveUpstream({
      usage: { promptTokenCount: 200, responseTokenCount: 120, totalTokenCount: 320 },
    }),
  )
  const gateway = cleanup.use(await open('gemini', upstream.origin, terms))
  let turns = 0
  const closings: string[] = []
  const ai = new GoogleGenAI({ apiKey: gateway.secret, httpOptions: { baseUrl: gateway.url } })
  const session = await ai.live.connect({
    model: 'voice',
    config: { responseModalities: [Modality.TEXT], tools },
    callbacks: {
      onclose: ({ reason }) => closings.push(reason),
      onmessage({ serverContent }) {
        if (serverContent?.turnComplete === true) turns += 1
      },
    },
  })
  cleanup.defer(() => session.close())
  const opened = cleanup.move()
  return {
    ...gateway,
    closings,
    say: () => session.sendClientContent({ turns: 'Hi', turnComplete: true }),
    async answer() {
      const before = turns
      session.sendClientContent({ turns: 'Hi', turnComplete: true })
      await expect.poll(() => turns).toBe(before + 1)
      await gateway.charges(before + 1)
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

it('a budget that a key of a realtime session gets is in force from the next response on', async () => {
  await using session = await openRealtime()
  await session.answer()
  await session.changeKey({ budgets: [day, { limit_usd: 5, window: 'total' }] })
  await session.answer()
  expect(await session.charges(2)).toEqual([COST, COST])
  expect(await session.spentOf('key:ci/total')).toBe(COST)
  expect(await session.spentOf('key:ci/day')).toBe(2 * COST)
})

it('a budget that the group of a realtime session gets is in force from the next response on', async () => {
  await using session = await openRealtime()
  await session.answer()
  await session.changeGroup({ budgets: [{ limit_usd: 5, window: 'total' }] })
  await session.answer()
  expect(await session.spentOf('group:callers/total')).toBe(COST)
})

it('the multiplier and the price of a realtime session may change from one response to the next', async () => {
  await using session = await openRealtime()
  await session.answer()
  await session.changeGroup({ multiplier: 3 })
  await session.answer()
  await session.changePrice({ input: 8, output: 32 })
  await session.answer()
  expect(await session.charges(3)).toEqual([COST, 3 * COST, 6 * COST])
})

it('a budget that the key of a Live session gets is in force once the current response is over', async () => {
  await using session = await openLive({})
  await session.answer()
  await session.changeKey({ budgets: [day] })
  await session.answer()
  await session.answer()
  expect(await session.charges(3)).toEqual([COST, COST, COST])
  expect(await session.spentOf('key:ci/day')).toBe(COST)
})

it('the multiplier and the price of a Live session may change while it is open', async () => {
  await using session = await openLive({ budgets: [day] })
  await session.answer()
  await session.changeGroup({ multiplier: 3 })
  await session.changePrice({ input: 8, output: 32 })
  await session.answer()
  await session.answer()
  expect(await session.charges(3)).toEqual([COST, COST, 6 * COST])
})

it('a transcript of the input ends before the next response once a budget applies, and is refused after that', async () => {
  await using session = await openRealtime({})
  const { client, upstream } = session
  const transcription = { model: 'gpt-4o-transcribe' }
  const update = {
    type: 'session.update',
    session: { type: 'realtime', audio: { input: { transcription } } },
  }
  client.send(update)
  await session.answer()
  const provider = await upstream.session(0)
  const updates = () => provider.events.filter(({ type }) => type === 'session.update')
  const before = updates().length
  await session.changeKey({ budgets: [day] })
  await session.answer()
  await session.answer()
  expect(updates().slice(before)).toMatchObject([{ session: { audio: { input: { transcription: null } } } }])
  const from = client.events.length
  client.send(update)
  expect(await client.next('error', from)).toMatchObject({ error: { code: 'field_not_allowed' } })
})

it('a Live session with tools that the provider runs ends once a budget applies', async () => {
  await using session = await openLive({}, [{ googleSearch: {} }])
  await session.answer()
  await session.changeKey({ budgets: [day] })
  session.say()
  await expect.poll(() => session.closings).toEqual([expect.stringContaining('field_not_allowed: Tools')])
})
