import { expect, it } from 'vitest'
import { createAskAdmin } from '../support/ask-admin.ts'
import { fieldsOf, listOf } from '../support/judged.ts'
import { openLiveUpstream } from '../support/live-upstream.ts'
import { openRealtimeUpstream } from '../support/realtime-upstream.ts'
import { openSocket } from '../support/socket-client.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const livePath = '/ws/google.ai.generativelanguage.v1beta.GenerativeService.BidiGenerateContent'
const realtimePath = '/v1/realtime?model=voice'
const small = { limit_usd: 0.000_001, window: 'total', at_limit: 'refuse' }

/** A session of a key of the admin API, so that its terms can change during the session. */
async function open(provider: 'openai' | 'gemini', terms: object) {
  needsOneProcess('a change of the admin API reaches the other processes a moment later')
  await using cleanup = new AsyncDisposableStack()
  const isLive = provider === 'gemini'
  const upstream = cleanup.use(isLive ? await openLiveUpstream({}) : await openRealtimeUpstream({}))
  const gateway = cleanup.use(
    await startGateway(`channels:
  - name: voices
    provider: ${provider}
    base_url: "${upstream.origin}/${isLive ? 'v1beta' : 'v1'}"
    api_key: sk-upstream-0123456789
    allow_private: true
    models: { voice: upstream-voice }
    prices: { voice: { input: 4, output: 16 } }
models: { voice: { max_output_tokens: 1000, context_window: 4000 } }
`),
  )
  const ask = createAskAdmin(gateway.url)
  const made = fieldsOf((await ask('POST', '/keys', { body: { name: 'ci', ...terms } })).body)
  const secret = String(made['secret'])
  const client = cleanup.use(
    await (isLive
      ? openSocket(gateway.url, { key: '', path: `${livePath}?key=${secret}` })
      : openSocket(gateway.url, { key: secret, path: realtimePath })),
  )
  if (isLive) {
    client.send({ setup: { model: 'models/voice' } })
    await expect.poll(() => client.events.length).toBe(1)
  }
  const opened = cleanup.move()
  return {
    client,
    change: (change: object) => ask('PATCH', `/keys/${String(made['id'])}`, { body: change }),
    /** Error, model and channel of each row in the request log of the key, the oldest first. */
    async rows(count: number) {
      const read = async () =>
        listOf(fieldsOf((await ask('GET', '/requests?limit=50')).body)['data'])
          .map(fieldsOf)
          .filter(({ key }) => key === 'ci')
          .toReversed()
      await expect.poll(async () => (await read()).length).toBe(count)
      return (await read()).map(({ error, model, channel }) => [error, model, channel])
    },
    [Symbol.asyncDispose]: () => opened.disposeAsync(),
  }
}

it('a response of a realtime session that a budget refuses has a row in the request log', async () => {
  await using session = await open('openai', {})
  await session.change({ budgets: [small] })
  session.client.send({ type: 'response.create' })
  await session.client.next('error')
  expect(await session.rows(1)).toEqual([['budget_exceeded', 'voice', null]])
})

it('a response of a realtime session that a rate limit refuses has a row in the request log', async () => {
  await using session = await open('openai', { rate: { rpm: 1, burst: 2 } })
  session.client.send({ type: 'response.create' })
  await session.client.next('response.done')
  session.client.send({ type: 'response.create' })
  await session.client.next('error')
  expect(await session.rows(2)).toEqual([
    [null, 'voice', 'voices'],
    ['rate_limit_exceeded', 'voice', null],
  ])
})

it('the next response of a Live session that a budget refuses has a row in the request log', async () => {
  await using session = await open('gemini', {})
  await session.change({ budgets: [small] })
  const turns = [{ role: 'user', parts: [{ text: 'Hi' }] }]
  session.client.send({ clientContent: { turns, turnComplete: true } })
  await session.client.closed
  expect(await session.rows(2)).toEqual([
    [null, 'voice', 'voices'],
    ['budget_exceeded', 'voice', null],
  ])
})
