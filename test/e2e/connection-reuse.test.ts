import type { Socket } from 'node:net'
import { expect, it } from 'vitest'
import { rowListSchema } from '../../src/admin/ledger/ledger-contract.ts'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createGate } from '../support/gate.ts'
import { openScriptedUpstream, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const reply = {
  id: 'a',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
}
const good: ScriptedAnswer = {
  headers: { 'content-type': 'application/json' },
  chunks: [JSON.stringify(reply)],
}
const body = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] }

it('a call that broke off on a reused connection is retried on a new one, not on another of the same age', async () => {
  const stored = new Set<Socket>()
  const [bothCame, bothSentAgain, firstIsFree] = [createGate(), createGate(), createGate()]
  await using upstream = await openScriptedUpstream(async ({ socket }, index) => {
    if (index < 2) {
      stored.add(socket)
      if (index === 1) bothCame.open()
      await bothCame.opened
      return good
    }
    if (index === 2) {
      await bothSentAgain.opened
      return good
    }
    // From here on every kept connection is dead.
    if (index === 3) {
      bothSentAgain.open()
      await firstIsFree.opened
    }
    if (!stored.has(socket)) return good
    socket.destroy()
    return { ending: 'silence' }
  })
  await using gateway = await startGateway(
    `${channelYaml({ format: 'chat', origin: upstream.origin, models: ['m'] })}retry: { attempts: 1 }\n`,
  )
  const askOnce = () => ask({ url: gateway.url, format: 'chat' }, body)
  await Promise.all([askOnce(), askOnce()])
  const first = askOnce()
  await upstream.request(2)
  const second = askOnce()
  expect((await first).status).toBe(200)
  firstIsFree.open()
  expect((await second).status).toBe(200)
  expect(upstream.requests.length).toBe(5)
})

it('an answer to a call that was retried on a new connection is billed', async () => {
  needsOneProcess('each process has its own connections')
  let stale: Socket | undefined
  await using upstream = await openScriptedUpstream(async ({ socket }, index) => {
    if (index === 0) stale = socket
    if (index === 0 || socket !== stale) return good
    socket.destroy()
    return { ending: 'silence' }
  })
  await using gateway = await startGateway(
    `${channelYaml({ format: 'chat', origin: upstream.origin, models: ['m'] })}models: { m: { price: { input: 1, output: 2 } } }\n`,
  )
  const askOnce = () => ask({ url: gateway.url, format: 'chat' }, body)
  expect([(await askOnce()).status, (await askOnce()).status]).toEqual([200, 200])
  expect(upstream.requests.length).toBe(3)
  const costs = async () => {
    const answer = await createAskAdmin(gateway.url)('GET', '/ledger?limit=10')
    return rowListSchema.parse(answer.body).data.map((row) => [row.state, row.cost_usd])
  }
  const billed = ['settled', 0.000003]
  await expect.poll(costs).toEqual([billed, billed])
})
