import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openAlertScene, QUICK_TIMES } from '../support/alert-scene.ts'
import { certificateFolder } from '../support/certificate.ts'
import { createQuickClock } from '../support/quick-clock.ts'
import { jsonAnswer, openScriptedUpstream, type ScriptedAnswer } from '../support/scripted-upstream.ts'
import { canMountDisks, openSmallDisk } from '../support/small-disk.ts'
import { until } from '../support/until.ts'

const whole = jsonAnswer({
  id: 'c1',
  object: 'chat.completion',
  created: 1,
  model: 'm',
  service_tier: 'default',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hi.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 10, completion_tokens: 20, total_tokens: 30 },
})
const failure = jsonAnswer({ error: { message: 'the server has a problem' } }, 500)

interface PagerDutyEvent {
  readonly event_action: string
  readonly dedup_key: string
  readonly payload: { readonly class: string }
}

const withoutBreaker =
  'channels: [{ name: a, provider: openai-compatible, base_url: "ORIGIN/v1", api_key: sk-upstream-0123456789, models: [m], allow_private: true, breaker: off }]\nretry: { attempts: 1 }\n'

function sendAll(scene: { send(): Promise<number> }, count: number): Promise<number[]> {
  return Promise.all(Array.from({ length: count }, () => scene.send()))
}

/** Sends requests until something else has happened. */
async function sendUntil<Result>(ended: Promise<Result>, send: () => Promise<unknown>): Promise<void> {
  let isOver = false
  const over = ended.then(() => {
    isOver = true
  })
  while (!isOver) await Promise.race([over, send()])
}

describe.concurrent('an alert opens once and resolves, and each receiver gets it in its own format:', () => {
  it('error rate', async () => {
    let answer = failure
    const rule = { kind: 'error-rate', by: 'channel', above: 20, window: '1m', min_requests: 6 }
    await using scene = await openAlertScene({ answer: () => answer, rules: [rule], yaml: withoutBreaker })
    await sendAll(scene, 3)
    answer = whole
    await sendAll(scene, 3)
    const opened = await scene.received('error-rate', 'open')
    expect(opened).toMatchObject({
      type: 'error_rate.open',
      severity: 'critical',
      by: 'channel',
      name: 'a',
      requests: 6,
      failures: 3,
      value: 50,
      threshold: 20,
      window: '1m',
      message: 'channel a: 50 % of 6 calls failed within 1m (3); the rule allows 20 %',
    })
    // Those that failed leave the window, which takes a second of this clock.
    const ended = scene.received('error-rate', 'resolved')
    await sendUntil(ended, () => sendAll(scene, 4))
    expect(await ended).toMatchObject({ type: 'error_rate.resolved', alert: opened.alert })
    const events = scene.bodiesOf('pagerduty') as readonly PagerDutyEvent[]
    const [trigger, resolve, ...others] = events.filter(({ payload }) => payload.class === 'error-rate')
    expect(others).toEqual([])
    expect([trigger?.event_action, resolve?.event_action]).toEqual(['trigger', 'resolve'])
    expect(trigger?.dedup_key).toBe(resolve?.dedup_key)
  })

  it('latency', async () => {
    let isSlow = true
    const clock = createQuickClock(QUICK_TIMES)
    const answer = async (): Promise<ScriptedAnswer> => {
      const startMs = clock.nowMs()
      if (isSlow) await until('it was slow', () => clock.nowMs() - startMs >= 8_000)
      return whole
    }
    const rule = { kind: 'latency', of: 'total', by: 'model', above: '5s', window: '1m', min_requests: 3 }
    await using scene = await openAlertScene({ answer, rules: [rule], clock })
    await sendAll(scene, 3)
    expect(await scene.received('latency', 'open')).toMatchObject({
      type: 'latency.open',
      by: 'model',
      name: 'm',
      of: 'total',
      percentile: 95,
      threshold: 5_000,
    })
    isSlow = false
    const ended = scene.received('latency', 'resolved')
    await sendUntil(ended, () => scene.send())
    expect((await ended).message).toMatch(/^model m: \d+ ms within 1m, which is below 4000 ms$/)
  })

  it('channel down', async () => {
    let answer: ScriptedAnswer = { ending: 'reset' }
    await using scene = await openAlertScene({
      answer: () => answer,
      rules: [{ kind: 'channel-down', for: '5s' }],
      yaml: 'channels: [{ name: a, provider: openai-compatible, base_url: "ORIGIN/v1", api_key: sk-upstream-0123456789, models: [m], allow_private: true, breaker: { failures: 1, window: 1h } }]\nretry: { attempts: 1 }\nqueue: off\n',
    })
    await scene.send()
    expect(await scene.received('channel-down', 'open')).toMatchObject({
      type: 'health.impaired',
      channel: 'a',
      reason: 'failing',
      severity: 'critical',
      message: 'channel a is down: nothing of it is in rotation (failing)',
    })
    answer = whole
    const ended = scene.received('channel-down', 'resolved')
    await sendUntil(ended, () => scene.send())
    expect((await ended).message).toBe('channel a serves again')
  })

  it.each([
    ['credential', jsonAnswer({ error: { message: 'no', code: 'invalid_api_key' } }, 401), 'refused'],
    ['model', jsonAnswer({ error: { message: 'no', code: 'model_not_found' } }, 404), 'model-missing'],
  ])('%s', async (kind, refusal, reason) => {
    await using scene = await openAlertScene({ answer: () => refusal, rules: [] })
    await scene.send()
    expect(await scene.received(kind, 'open')).toMatchObject({ type: 'health.impaired', reason })
    expect((await scene.admin('POST', '/health/reset', { body: { channel: 'a' } })).status).toBe(200)
    expect(await scene.received(kind, 'resolved')).toMatchObject({
      type: 'health.reset',
      resolution: 'reset',
    })
  })

  it('budget', async () => {
    const yaml =
      'channels: [{ name: a, provider: openai-compatible, base_url: "ORIGIN/v1", api_key: sk-upstream-0123456789, models: [m], allow_private: true }]\nmodels: { m: { price: { input: 1, output: 2 } } }\nbudgets: [{ name: all, scope: installation, limit_usd: 0.0001, window: total, mode: observe, warn_at: [50, 100] }]\n'
    await using scene = await openAlertScene({ answer: () => whole, rules: [], yaml })
    await scene.send()
    const half = await scene.received('budget', 'open')
    expect(half).toMatchObject({ percent: 50, severity: 'info' })
    await scene.send()
    const all = await scene.received('budget', 'open')
    expect(all).toMatchObject({ percent: 100, severity: 'critical', alert: half.alert })
    const reset = await scene.admin('POST', '/budgets/all/reset', { body: { reason: 'a test' } })
    expect(reset.status, reset.text).toBe(200)
    expect(await scene.received('budget', 'resolved')).toMatchObject({
      type: 'budget.resolved',
      alert: half.alert,
      resolution: 'recovered',
    })
  })

  it('key expiry', async () => {
    await using scene = await openAlertScene({ answer: () => whole, rules: [] })
    const made = await scene.admin('POST', '/keys', { body: { name: 'ci', expires_at: '3d' } })
    expect(made.status, made.text).toBe(201)
    expect((await scene.received('key-expiry', 'open')).message).toMatch(
      /^the key "ci" expires at \S+, in 2 days$/,
    )
    await scene.admin('PATCH', '/keys/ci', { body: { expires_at: null } })
    expect(await scene.received('key-expiry', 'resolved')).toMatchObject({ type: 'key_expiry.resolved' })
  })

  it('certificate expiry', async () => {
    // The certificates of the tests are good until 2126-10-27.
    const quick = createQuickClock(QUICK_TIMES)
    const aheadMs = Date.parse('2126-10-20T00:00:00Z') - quick.nowMs()
    const clock = { ...quick, nowMs: () => quick.nowMs() + aheadMs }
    const caFile = join(certificateFolder, 'ca.crt')
    const yaml = `channels: [{ name: a, provider: openai-compatible, base_url: "ORIGIN/v1", api_key: sk-upstream-0123456789, models: [m], allow_private: true, ca_file: "${caFile}" }]\n`
    await using scene = await openAlertScene({ answer: () => whole, rules: [], yaml, clock })
    // The first look came before there were receivers.
    await scene.setRules([{ kind: 'certificate-expiry', before: '1d' }])
    expect(await scene.received('certificate-expiry', 'resolved')).toMatchObject({ resolution: 'recovered' })
    await scene.setRules([])
    expect(await scene.received('certificate-expiry', 'open')).toMatchObject({
      type: 'certificate_expiry.open',
      message: 'the certificate of channel a (ca_file) expires at 2126-10-27T16:09:49.000Z, in 7 days',
    })
  })

  it('a used model without a price', async () => {
    await using scene = await openAlertScene({ answer: () => whole, rules: [] })
    await scene.send()
    expect(await scene.received('unpriced', 'open')).toMatchObject({ model: 'm', targets: ['a/m'] })
    const priced = await scene.admin('POST', '/models', {
      body: { name: 'm', price: { input: 1, output: 2 } },
    })
    expect(priced.status, priced.text).toBe(201)
    expect((await scene.received('unpriced', 'resolved')).message).toBe(
      'the model m has a price, or is served no more',
    )
  })

  it.skipIf(!canMountDisks)('disk', async () => {
    using disk = openSmallDisk(64)
    await using scene = await openAlertScene({ answer: () => whole, rules: [], folder: disk.folder })
    disk.fillUntil(5 * 1024 ** 2)
    expect(await scene.received('disk', 'open')).toMatchObject({ type: 'disk.low' })
    disk.fillUntil(2 * 1024 ** 2)
    expect(await scene.received('disk', 'open')).toMatchObject({ type: 'disk.nearly_full' })
    disk.empty()
    expect(await scene.received('disk', 'resolved')).toMatchObject({ type: 'disk.recovered' })
  })
})

it('an open alert survives a restart, is not sent again, and is resolved by a later event', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-alerts-'))
  const refusal = jsonAnswer({ error: { message: 'no', code: 'invalid_api_key' } }, 401)
  await using upstream = await openScriptedUpstream(refusal)
  const clock = createQuickClock(QUICK_TIMES)
  const options = { rules: [], folder, answer: () => refusal, upstream, clock }
  let id = ''
  {
    await using scene = await openAlertScene(options)
    await scene.send()
    id = (await scene.received('credential', 'open')).alert
  }
  {
    await using scene = await openAlertScene(options)
    const { body } = await scene.admin('GET', '/alerts?state=open')
    expect(body).toMatchObject({ data: [{ id, kind: 'credential', state: 'open' }], next_after: null })
    await scene.admin('POST', '/health/reset', { body: { channel: 'a' } })
    expect(await scene.received('credential', 'resolved')).toMatchObject({ alert: id })
    expect(scene.bodiesOf('webhook')).toHaveLength(1)
  }
  rmSync(folder, { recursive: true, force: true })
})
