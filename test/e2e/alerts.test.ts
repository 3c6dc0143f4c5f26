import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'
import { until } from '../support/until.ts'

const upstreamKey = 'sk-upstream-0123456789'
const hookToken = 'hook-token-0123456789'
const refusal = {
  status: 401,
  headers: { 'content-type': 'application/json' },
  chunks: [
    JSON.stringify({ error: { message: `Incorrect API key: ${upstreamKey}`, code: 'invalid_api_key' } }),
  ],
}
const path = '/services/T0001/B0002/path-that-is-secret'

function yaml(upstream: string, receiver: string): string {
  return `channels: [{ name: a, provider: openai-compatible, base_url: "${upstream}/v1", api_key: ${upstreamKey}, models: [m], allow_private: true }]
alerts: { webhook: "${receiver}${path}", headers: { Authorization: "Bearer ${hookToken}" }, allow_private: true }
`
}

it('a refused credential is reported once by webhook and log, until an operator resets its health', async () => {
  let isMended = false
  await using upstream = await openScriptedUpstream(() =>
    isMended ? sseAnswer([sampleStreams.chat.bytes]) : refusal,
  )
  // The first try finds it unwell, as receivers are at times.
  await using receiver = await openScriptedUpstream([{ status: 503 }, { status: 204 }])
  const keys = `keys: [{ name: test, secret: ${testKey} }]\n`
  await using gateway = await startProcess(
    keys + yaml(upstream.origin, receiver.origin),
    {},
    { environment: { HEADGATE_ADMIN_TOKEN: testAdminToken } },
  )
  for (let count = 0; count < 3; count += 1)
    await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  const request = await receiver.request(1)
  expect([
    request.method,
    request.path,
    request.headers.authorization,
    request.headers['content-type'],
  ]).toEqual(['POST', path, `Bearer ${hookToken}`, 'application/json'])
  expect(JSON.parse(request.body.toString())).toMatchObject({
    type: 'health.impaired',
    at: expect.stringMatching(/^\d{4}-.*Z$/),
    since: expect.stringMatching(/^\d{4}-.*Z$/),
    channel: 'a',
    scope: 'credential',
    credential: 'a#1',
    upstream_model: null,
    reason: 'refused',
    message: 'channel a, credential a#1: out of rotation for 600 s (refused)',
    advice: expect.stringContaining('configure a valid one'),
    text: expect.stringMatching(/^Headgate: channel a, credential a#1: out of rotation/),
  })
  await until('the log has it', () =>
    /"level":50,.*out of rotation for 600 s \(refused\)/.test(gateway.output()),
  )
  isMended = true
  const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
  expect(metrics).toContain('headgate_alerts_total{outcome="sent"} 1')
  await createAskAdmin(gateway.url)('POST', '/health/reset', { body: { channel: 'a' } })
  expect((await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))).status).toBe(200)
  expect(JSON.parse((await receiver.request(2)).body.toString())).toMatchObject({
    type: 'health.reset',
    credential: 'a#1',
    message: 'channel a, credential a#1: reset by an operator (was refused)',
    advice: null,
  })
  expect(receiver.requests.length).toBe(3)
  const said = [
    gateway.output(),
    gateway.errors(),
    ...receiver.requests.map(({ body }) => body.toString()),
  ].join()
  for (const secret of [upstreamKey, hookToken, path]) expect(said).not.toContain(secret)
})

it('the metrics have each receiver before its first alert, so that the first failure is an increase', async () => {
  const receivers = (...names: readonly string[]) =>
    `alerts: { receivers: [${names.map((name) => `{ name: ${name}, type: webhook, url: "https://example.com/${name}" }`)}] }\n`
  await using gateway = await startGateway(receivers('ops', 'on-call'))
  const listOf = async () => {
    const text = await (await fetch(`${gateway.url}/metrics`)).text()
    return text.split('\n').filter((line) => line.startsWith('headgate_alert_deliveries_total{'))
  }
  const zeros = (...names: readonly string[]) =>
    names.flatMap((name) =>
      ['sent', 'failed', 'dropped'].map(
        (outcome) => `headgate_alert_deliveries_total{receiver="${name}",outcome="${outcome}"} 0`,
      ),
    )
  expect(await listOf()).toEqual(zeros('ops', 'on-call'))
})

it('an alert about a key that a reload replaced is resolved, and a refusal of the new key is reported again', async () => {
  await using upstream = await openScriptedUpstream(() => refusal)
  await using receiver = await openScriptedUpstream({ status: 204 })
  const keys = `keys: [{ name: test, secret: ${testKey} }]\n`
  const before = keys + yaml(upstream.origin, receiver.origin)
  await using gateway = await startProcess(before)
  const typeOf = async (index: number) =>
    JSON.parse((await receiver.request(index)).body.toString()) as { type: string; message: string }
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect(await typeOf(0)).toMatchObject({ type: 'health.impaired' })
  await gateway.reload(before.replace(upstreamKey, 'sk-upstream-rotated-01'))
  expect(await typeOf(1)).toMatchObject({
    type: 'health.reset',
    message: 'channel a, credential a#1: changed or removed in the configuration (was refused)',
  })
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect(await typeOf(2)).toMatchObject({ type: 'health.impaired', credential: 'a#1' })
})

it('an address on this machine is refused unless the configuration allows it', async () => {
  const webhook = 'http://127.0.0.1:9/hook'
  const config = `channels: [{ name: demo, provider: demo }]\nalerts: { webhook: "${webhook}" }`
  const error = await startGateway(config).catch((thrown: unknown) => thrown)
  expect(String(error)).toContain('alerts.webhook: leads to this machine or a private network')
})

it('a receiver that never answers delays neither requests nor shutdown', async () => {
  await using upstream = await openScriptedUpstream([refusal])
  await using receiver = await openScriptedUpstream({ ending: 'silence' })
  const gateway = await startGateway(yaml(upstream.origin, receiver.origin))
  expect((await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))).status).toBe(502)
  const alert = await receiver.request(0)
  await gateway.close(0)
  await alert.closed
  expect(receiver.requests.length).toBe(1)
})
