import { expect, onTestFinished, test } from 'vitest'
import type { ReceivedAlert } from '../support/alert-scene.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { jsonAnswer, openScriptedUpstream, type UpstreamHandler } from '../support/scripted-upstream.ts'
import { type StartedGateway, testKey } from '../support/start-gateway.ts'
import { until, untilAsync } from '../support/until.ts'
import { callNode, useNodes } from './open-nodes.ts'

const { openNode, database } = useNodes()
const usage = { prompt_tokens: 0, completion_tokens: 20, total_tokens: 20 }
const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }]
const answer = jsonAnswer({ id: 'c1', object: 'chat.completion', created: 1, model: 'm', choices, usage })
const refusal = { status: 401, headers: { 'content-type': 'application/json' }, chunks: ['{"error":{}}'] }

/** Two nodes, the first of which decides about alerts, one receiver, and an upstream that answers as the test says. */
async function openScene(handler: UpstreamHandler, rules = '') {
  await database().empty()
  const upstream = await openScriptedUpstream(handler)
  const receiver = await openScriptedUpstream({ status: 202 })
  onTestFinished(async () => {
    await upstream.close()
    await receiver.close()
  })
  const yaml = `admin: { allow_private: true }
retry: { attempts: 1 }
channels: [{ name: a, provider: openai-compatible, base_url: "${upstream.origin}/v1", api_key: sk-upstream-0123456789, models: [m], allow_private: true }]
alerts: { receivers: [{ name: hook, type: webhook, url: "${receiver.origin}/hook", allow_private: true }], rules: [${rules}] }
`
  const first = await openNode(yaml)
  const second = await openNode(yaml)
  const received = () =>
    receiver.requests.map(({ body }) => JSON.parse(body.toString('utf8')) as ReceivedAlert)
  return { first, second, received }
}

async function stateOfHealth(node: StartedGateway): Promise<unknown> {
  const { body } = await createAskAdmin(node.url)('GET', '/health')
  return (body as { readonly status: string }).status
}

test('an alert that several nodes raise is reported once, and so is its end', async () => {
  let isRefused = true
  const { first, second, received } = await openScene(() => (isRefused ? refusal : answer))
  await Promise.all([callNode(first, testKey), callNode(second, testKey)])
  await until('the alert is sent', () => received().length > 0)
  // What the second node finds out by itself has been heard as well once its reset is.
  isRefused = false
  const reset = await createAskAdmin(second.url)('POST', '/health/reset', { body: { channel: 'a' } })
  expect(reset.status).toBe(200)
  await until('the end is sent', () => received().some(({ status }) => status === 'resolved'))
  expect(received().map(({ kind, status }) => `${kind} ${status}`)).toEqual([
    'credential open',
    'credential resolved',
  ])
})

test('a finding of another node is reported by the node that decides', async () => {
  const { second, received } = await openScene(() => refusal)
  await callNode(second, testKey)
  await until('the alert is sent', () => received().length > 0)
  expect(received()[0]).toMatchObject({ kind: 'credential', status: 'open' })
})

test('a finding of one node about a channel applies on the other', async () => {
  let isRefused = true
  const { first, second } = await openScene(() => (isRefused ? refusal : answer))
  expect((await callNode(first, testKey)).status).toBe(502)
  await untilAsync('the other node knows', async () => (await stateOfHealth(second)) !== 'healthy')
  isRefused = false
  await createAskAdmin(second.url)('POST', '/health/reset', { body: { channel: 'a' } })
  await untilAsync('it serves again', async () => (await callNode(first, testKey)).status === 200)
})

test('a rule of traffic counts the requests of all nodes', async () => {
  const rule = '{ kind: error-rate, above: 50, window: 1m, min_requests: 10 }'
  const failing = { status: 500, headers: { 'content-type': 'application/json' }, chunks: ['{"error":{}}'] }
  const { first, second, received } = await openScene(() => failing, rule)
  for (let count = 0; count < 6; count += 1)
    await Promise.all([callNode(first, testKey), callNode(second, testKey)])
  await until('the alert is sent', () => received().some(({ kind }) => kind === 'error-rate'), {
    deadlineMs: 40_000,
  })
})

test('an alert is acknowledged on a node that does not decide, and another node takes over open alerts', async () => {
  const { first, second, received } = await openScene(() => refusal)
  await callNode(first, testKey)
  await until('the alert is sent', () => received().length === 1)
  const id = String(received()[0]?.alert)
  const ask = createAskAdmin(second.url)
  await untilAsync('it is stored', async () => (await ask('GET', `/alerts/${id}`)).status === 200)
  expect((await ask('POST', `/alerts/${id}/acknowledge`, { body: {} })).status).toBe(200)
  await first.close(0)
  const reset = await ask('POST', '/health/reset', { body: { channel: 'a' } })
  expect(reset.status).toBe(200)
  await untilAsync('the other node has resolved it', async () => {
    const { body } = await ask('GET', `/alerts/${id}`)
    return (body as { readonly state: string }).state === 'resolved'
  })
  expect(received().map(({ status }) => status)).toEqual(['open', 'resolved'])
})
