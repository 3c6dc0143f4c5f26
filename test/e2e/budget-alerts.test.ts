import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { webhookHeaders } from '../../src/alerts/receivers/sign-webhook.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { createQuickClock } from '../support/quick-clock.ts'
import { jsonAnswer, openScriptedUpstream, type RecordedRequest } from '../support/scripted-upstream.ts'
import { type StartedGateway, startGateway, testKey } from '../support/start-gateway.ts'

const hookSecret = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const whole = {
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  service_tier: 'default',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
}
/** A request costs 50 millionths: half of the first budget. */
const yaml = (upstream: string, receiver: string) =>
  channelYaml({ name: 'first', format: 'chat', origin: upstream, models: ['m'] }) +
  `models: { m: { price: { input: 1, output: 2 } } }
budgets:
  - { name: all, scope: installation, limit_usd: 0.0001, window: total, mode: observe }
  - { name: more, scope: "key:test", limit_usd: 0.00016, window: total, mode: observe, warn_at: [90] }
alerts: { webhook: "${receiver}/hook", secret: ${hookSecret}, allow_private: true }
`

async function send({ url }: StartedGateway): Promise<number> {
  const response = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${testKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'm', max_tokens: 50, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  await response.text()
  return response.status
}

const read = ({ body }: RecordedRequest) => JSON.parse(body.toString()) as Readonly<Record<string, unknown>>

it('each threshold of a budget is reported once by webhook, signed, retried, and not repeated after a restart', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-alerts-'))
  await using upstream = await openScriptedUpstream(() => jsonAnswer(whole))
  await using receiver = await openScriptedUpstream([{ status: 503 }, { status: 204 }])
  const text = yaml(upstream.origin, receiver.origin)
  const clock = createQuickClock(20)
  {
    await using gateway = await startGateway(text, folder, { clock })
    expect(await send(gateway)).toBe(200)
    const [refused, half] = [await receiver.request(0), await receiver.request(1)]
    expect(read(half)).toEqual({
      type: 'budget.threshold',
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      since: expect.any(String),
      alert: expect.stringMatching(/^alr_/),
      kind: 'budget',
      rule: 'budget',
      severity: 'info',
      status: 'open',
      resolution: null,
      advice: null,
      budget: 'all',
      scope: 'installation',
      value: null,
      window: 'total',
      mode: 'observe',
      window_start: '1970-01-01T00:00:00.000Z',
      resets_at: null,
      percent: 50,
      limit_usd: 0.0001,
      spent_usd: 0.00005,
      message: 'the budget "all" has spent 50 % of its limit',
      text: 'Headgate: the budget "all" has spent 50 % of its limit',
    })
    expect(half.body).toEqual(refused.body)
    const { 'webhook-id': id = '', 'webhook-timestamp': seconds } = half.headers
    expect(half.headers).toMatchObject({
      'webhook-id': refused.headers['webhook-id'],
      ...webhookHeaders(
        { id: String(id), body: half.body.toString(), atMs: Number(seconds) * 1_000 },
        hookSecret,
      ),
    })
    expect(await send(gateway)).toBe(200)
    const rest = await Promise.all([2, 3, 4].map((index) => receiver.request(index)))
    expect(rest.map((request) => read(request)['percent'])).toEqual([80, 95, 100])
    const metrics = await (await fetch(`${gateway.url}/metrics`)).text()
    expect(metrics).toContain('headgate_budget_thresholds_total{budget="all",percent="100"} 1')
  }
  {
    await using gateway = await startGateway(text, folder, { clock })
    expect(await send(gateway)).toBe(200)
    // A second alert of the first budget would have come before this one.
    expect(read(await receiver.request(5))).toMatchObject({ budget: 'more', percent: 90 })
    expect(receiver.requests).toHaveLength(6)
  }
  rmSync(folder, { recursive: true, force: true })
})

it('a receiver that never answers delays no request', async () => {
  await using upstream = await openScriptedUpstream(() => jsonAnswer(whole))
  await using receiver = await openScriptedUpstream({ ending: 'silence' })
  await using gateway = await startGateway(yaml(upstream.origin, receiver.origin))
  expect([await send(gateway), await send(gateway), await send(gateway)]).toEqual([200, 200, 200])
  await receiver.request(0)
  expect(receiver.requests).toHaveLength(1)
})
