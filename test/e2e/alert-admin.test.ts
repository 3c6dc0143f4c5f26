import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import {
  type AlertView,
  alertListSchema,
  alertRulesSchema,
  receiverListSchema,
} from '../../src/admin/alerts/alert-contract.ts'
import { registerAlertsCommand } from '../../src/cli/monitoring/alerts.ts'
import { openAlertScene } from '../support/alert-scene.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { receiverSchemas } from '../support/receiver-schemas.ts'
import { jsonAnswer, openScriptedUpstream } from '../support/scripted-upstream.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'

const refusal = jsonAnswer({ error: { message: 'no', code: 'invalid_api_key' } }, 401)
const secretPath = '/services/T0001/B0002/path-that-is-secret'

async function run(dataFolder: string, ...argv: readonly string[]) {
  let out = ''
  let code = 0
  const write = (text: string) => {
    out += text
  }
  const io = {
    write,
    writeError: write,
    isTerminal: false,
    setExitCode: (given: number) => {
      code = given
    },
  }
  const context = { dataFolder: () => dataFolder, adminToken: () => testAdminToken, io }
  const program = new Command('headgate').exitOverride()
  registerAlertsCommand(program, context)
  await program.parseAsync(['node', 'headgate', ...argv])
  return { out, code }
}

it('an alert is acknowledged and muted, the audit log has both, and the mute also covers the next such alert', async () => {
  await using scene = await openAlertScene({ answer: () => refusal, rules: [] })
  const { dataFolder } = scene.gateway
  await scene.send()
  const { alert: id } = await scene.received('credential', 'open')
  const acknowledged = await run(dataFolder, 'alerts', 'ack', id, '--comment', 'a new key is on its way')
  expect(acknowledged.out).toContain('open, acknowledged')
  expect((await run(dataFolder, 'alerts', 'mute', id, '--for', '2h')).out).toContain('muted by admin token')
  const shown = await scene.admin('GET', `/alerts/${id}`)
  expect(shown.body).toMatchObject({
    state: 'open',
    kind: 'credential',
    subject: { channel: 'a', credential: 'a#1' },
    acknowledged: { by: 'admin token', comment: 'a new key is on its way' },
    muted: { by: 'admin token', until: expect.any(String) },
  })
  await scene.admin('POST', '/health/reset', { body: { channel: 'a' } })
  expect(await scene.received('credential', 'resolved')).toMatchObject({ alert: id })
  await scene.send()
  const list = async (query: string) =>
    alertListSchema.parse((await scene.admin('GET', `/alerts?${query}`)).body)
  const [next] = (await list('state=open&kind=credential')).data
  expect(next).toMatchObject({ muted: { by: 'admin token' }, acknowledged: null })
  // Nothing of the second was sent.
  expect(scene.bodiesOf('slack')).toHaveLength(2)
  const ended = await scene.admin('DELETE', `/alerts/${next?.id}/mute`)
  expect((ended.body as AlertView).muted).toBeNull()
  expect((await run(dataFolder, 'alerts', 'mute', id, '--for', '2h')).out).toContain('This alert is over')
  const refused = await scene.admin('POST', `/alerts/${next?.id}/mute`, { body: { for: '1s' } })
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'invalid_field', param: 'for' } } })
  expect((await scene.admin('POST', '/alerts/alr_none/acknowledge', { body: {} })).status).toBe(404)
  const audit = (await scene.admin('GET', '/audit')).body as {
    data: { action: string; subject: string; details: string[] }[]
  }
  expect(
    audit.data
      .filter(({ action }) => action.startsWith('alert.'))
      .map(({ action, subject }) => [action, subject]),
  ).toEqual([
    ['alert.unmute', next?.id],
    ['alert.mute', id],
    ['alert.acknowledge', id],
  ])
})

it('the list is paged and filtered, newest first', async () => {
  await using scene = await openAlertScene({ answer: () => refusal, rules: [] })
  await scene.send()
  await scene.received('credential', 'open')
  for (const days of [1, 2, 3])
    await scene.admin('POST', '/keys', { body: { name: `k${days}`, expires_at: `${days}d` } })
  for (const _ of [1, 2, 3]) await scene.received('key-expiry', 'open')
  const all = alertListSchema.parse((await scene.admin('GET', '/alerts')).body).data.map(({ id }) => id)
  expect(all).toHaveLength(4)
  const paged: string[] = []
  let after = ''
  do {
    const query = after === '' ? '?limit=2' : `?limit=2&after=${after}`
    const page = alertListSchema.parse((await scene.admin('GET', `/alerts${query}`)).body)
    paged.push(...page.data.map(({ id }) => id))
    after = page.next_after ?? ''
  } while (after !== '')
  expect(paged).toEqual(all)
  const kinds = async (query: string) =>
    alertListSchema.parse((await scene.admin('GET', `/alerts?${query}`)).body).data.map(({ kind }) => kind)
  expect(await kinds('channel=a')).toEqual(['credential'])
  expect(await kinds('severity=warning')).toEqual(['key-expiry', 'key-expiry', 'key-expiry'])
  expect(await kinds('state=resolved')).toEqual([])
  expect((await scene.admin('GET', '/alerts?kind=weather')).status).toBe(400)
  const listed = await run(scene.gateway.dataFolder, 'alerts', 'list', '--kind', 'credential')
  expect(listed.out).toMatch(/alr_\w+ +\S+ \S+ +open +critical +credential +channel a, credential a#1/)
  const shown = await run(scene.gateway.dataFolder, 'alerts', 'show', all[0] ?? '')
  expect(shown.out).toMatch(/key: k\d/)
})

it('a test delivery goes to the named receiver and reports its result without a secret', async () => {
  await using well = await openScriptedUpstream({ status: 200 })
  await using unwell = await openScriptedUpstream({ status: 403 })
  const yaml = `channels: [{ name: demo, provider: demo }]
alerts:
  receivers:
    - { name: ops, type: slack, url: "${well.origin}${secretPath}", allow_private: true, kinds: [budget] }
    - { name: away, type: teams, url: "${unwell.origin}${secretPath}", allow_private: true }
`
  await using gateway = await startGateway(yaml, mkdtempSync(join(tmpdir(), 'headgate-alerts-')))
  const admin = createAskAdmin(gateway.url)
  const answer = await admin('POST', '/alerts/test', { body: { receiver: 'ops' } })
  expect(answer.body).toEqual({
    receiver: 'ops',
    delivered: true,
    status: 200,
    reason: null,
    no_answer: null,
  })
  const request = await well.request(0)
  expect(request.path).toBe(secretPath)
  const message: unknown = JSON.parse(request.body.toString())
  expect(receiverSchemas.slack.parse(message)).toMatchObject({ text: expect.stringContaining('Test') })
  const failed = await run(gateway.dataFolder, 'alerts', 'test', 'away')
  expect(failed).toEqual({ out: 'away: not delivered: it answered with status 403\n', code: 1 })
  const unknown = await admin('POST', '/alerts/test', { body: { receiver: 'nobody' } })
  expect(unknown).toMatchObject({ status: 404, body: { error: { param: 'receiver' } } })
  const receivers = await admin('GET', '/alerts/receivers')
  expect(receiverListSchema.parse(receivers.body).data).toMatchObject([
    { name: 'ops', type: 'slack', address: well.origin, kinds: ['budget'], severity: 'info' },
    { name: 'away', type: 'teams', kinds: null },
  ])
  expect(receivers.text).not.toContain('path-that-is-secret')
  expect((await run(gateway.dataFolder, 'alerts', 'receivers')).out).toContain('budget, info and worse')
  expect((await run(gateway.dataFolder, 'alerts', 'rules')).out).toMatch(
    /error-rate +error-rate +\{"by":"channel"/,
  )
})

it('the admin API edits rules and receivers, masks their secrets, and sends no stored secret to a new address', async () => {
  await using scene = await openAlertScene({ answer: () => refusal, rules: [{ kind: 'disk', off: true }] })
  const rules = alertRulesSchema.parse((await scene.admin('GET', '/alerts/rules')).body)
  expect(rules).toMatchObject({ owner: 'api', repeat: '30d' })
  expect(rules.data.map(({ kind }) => kind)).not.toContain('disk')
  const shown = await scene.admin('GET', '/config')
  expect(shown.text).not.toContain('path-that-is-a-secret')
  expect(shown.text).not.toContain('0123456789abcdef0123456789abcdef')
  const { document } = shown.body as {
    document: { alerts: { receivers: { name: string; url: string }[]; rules: object[] } }
  }
  const put = (receivers: object[], more = {}) =>
    scene.admin('PUT', '/config', {
      body: { document: { ...document, alerts: { ...document.alerts, receivers, ...more } } },
    })
  // What is sent back as it was shown stands for what is stored.
  const same = await put(document.alerts.receivers, { rules: [{ kind: 'budget', severity: 'warning' }] })
  expect(same.status, same.text).toBe(200)
  const tested = await scene.admin('POST', '/alerts/test', { body: { receiver: 'pagerduty' } })
  expect(tested.body).toMatchObject({ delivered: true })
  expect(scene.bodiesOf('pagerduty')).toMatchObject([{ routing_key: '0123456789abcdef0123456789abcdef' }])
  const moved = document.alerts.receivers.map((receiver) =>
    receiver.name === 'pagerduty' ? { ...receiver, url: 'https://collector.example.com/x' } : receiver,
  )
  const refused = await put(moved)
  expect(refused.status).toBe(400)
  expect(refused.text).toContain('alerts.receivers[4].routing_key')
  expect(refused.text).toContain('a stored secret does not go along')
})

it('a receiver on this machine needs permission in the configuration file', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const admin = createAskAdmin(gateway.url)
  const receivers = [{ name: 'x', type: 'webhook', url: 'http://127.0.0.1:9/x', allow_private: true }]
  const answer = await admin('PUT', '/config', { body: { document: { alerts: { receivers } } } })
  expect(answer.status).toBe(400)
  expect(answer.text).toContain('alerts.receivers[0].allow_private')
})
