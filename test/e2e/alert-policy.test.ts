import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Command } from 'commander'
import { expect, it } from 'vitest'
import { alertRulesSchema, receiverListSchema } from '../../src/admin/alerts/alert-contract.ts'
import { draftSummarySchema, draftViewSchema } from '../../src/admin/drafts/draft-contract.ts'
import { registerAlertsCommand } from '../../src/cli/monitoring/alerts.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const url = 'https://hooks.example.com/services/T0001/path-that-is-secret'

it('rules are added, changed, turned off and deleted, and the list separates written rules from effective ones', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const added = await admin('PUT', '/alerts/rules/slow', { body: { kind: 'latency', above: '5s' } })
  expect([added.status, added.etag]).toEqual([200, '"1"'])
  const rules = alertRulesSchema.parse(added.body)
  expect(rules).toMatchObject({ owner: 'api', written: [{ name: 'slow', kind: 'latency', above: '5s' }] })
  expect(rules.data).toEqual(
    expect.arrayContaining([expect.objectContaining({ name: 'slow', percentile: 95, window: '5m' })]),
  )
  const off = await admin('PATCH', '/alerts/rules/unpriced', { body: { off: true } })
  const withoutOne = alertRulesSchema.parse(off.body)
  expect(withoutOne.data.map(({ name }) => name)).not.toContain('unpriced')
  expect(withoutOne.written).toContainEqual({ name: 'unpriced', kind: 'unpriced', off: true })
  const wrong = await admin('PATCH', '/alerts/rules/slow', { body: { above: 'soon' } })
  expect(wrong.body).toMatchObject({ error: { code: 'config_invalid', param: 'alerts.rules[0].above' } })
  await admin('DELETE', '/alerts/rules/slow')
  const left = await admin('DELETE', '/alerts/rules/unpriced')
  expect(alertRulesSchema.parse(left.body)).toMatchObject({ owner: 'default', written: [] })
  expect((await admin('DELETE', '/alerts/rules/unpriced')).status).toBe(404)
})

it('each of several concurrent changes returns the version that it created', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const body = { kind: 'latency', above: '5s' }
  const receiver = { type: 'slack', url }
  const asks = ['a', 'b', 'c', 'd'].flatMap((name) => [
    admin('PUT', `/alerts/rules/${name}`, { body }),
    admin('PUT', `/alerts/receivers/${name}`, { body: receiver }),
  ])
  const versions = (await Promise.all(asks)).map(({ body: answer, etag }) => {
    const { config_version: version } = answer as { readonly config_version: unknown }
    expect(etag).toBe(`"${version}"`)
    return version
  })
  expect(versions.toSorted()).toEqual([1, 2, 3, 4, 5, 6, 7, 8])
})

it('a receiver can be changed without repeating its secrets, which are not carried over to another server', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const receiver = { type: 'webhook', url, secret: `whsec_${Buffer.alloc(32, 7).toString('base64')}` }
  const added = await admin('PUT', '/alerts/receivers/ops', { body: receiver })
  expect(added.text).not.toContain('path-that-is-secret')
  const changed = await admin('PATCH', '/alerts/receivers/ops', { body: { severity: 'critical' } })
  expect(receiverListSchema.parse(changed.body).data).toMatchObject([
    { name: 'ops', address: 'https://hooks.example.com', signed: true, severity: 'critical' },
  ])
  const moved = await admin('PATCH', '/alerts/receivers/ops', { body: { url: 'https://other.example/x' } })
  expect(moved.text).toContain('must be entered again')
  const gone = await admin('DELETE', '/alerts/receivers/ops')
  expect(receiverListSchema.parse(gone.body).data).toEqual([])
})

it('rules and receivers are changed together in a draft', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const { id } = draftSummarySchema.parse((await admin('POST', '/drafts', { body: { name: 'night' } })).body)
  await admin('PUT', `/drafts/${id}/alert-rules/slow`, { body: { kind: 'latency', above: '5s' } })
  await admin('PATCH', `/drafts/${id}/alert-rules/disk`, { body: { severity: 'critical' } })
  await admin('PUT', `/drafts/${id}/alert-receivers/ops`, { body: { type: 'slack', url } })
  const view = draftViewSchema.parse((await admin('GET', `/drafts/${id}`)).body)
  expect(view).toMatchObject({ ok: true, diff: [{ kind: 'settings', name: 'alerts', change: 'added' }] })
  await admin('POST', `/drafts/${id}/apply`)
  const rules = alertRulesSchema.parse((await admin('GET', '/alerts/rules')).body)
  expect(rules.written.map(({ name }) => name)).toEqual(['slow', 'disk'])
})

it('the admin API does not change rules of the configuration file', async () => {
  await using gateway = await startGateway(`${demo}alerts: { rules: [{ kind: disk, off: true }] }\n`)
  const admin = createAskAdmin(gateway.url)
  const refused = await admin('PATCH', '/alerts/rules/disk', { body: { off: null } })
  expect(refused.body).toMatchObject({ error: { code: 'owned_by_file' } })
  expect((await admin('GET', '/alerts/rules')).body).toMatchObject({
    owner: 'file',
    written: [{ name: 'disk', kind: 'disk', off: true }],
  })
})

it('commands change rules and receivers', async () => {
  await using gateway = await startGateway(demo)
  const file = join(mkdtempSync(join(tmpdir(), 'headgate-alerts-')), 'receiver.yaml')
  writeFileSync(file, `type: slack\nurl: ${url}\n`)
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const io = { write, writeError: write, isTerminal: false, setExitCode: () => undefined }
  const run = async (...argv: readonly string[]) => {
    const program = new Command('headgate').exitOverride()
    registerAlertsCommand(program, {
      dataFolder: () => gateway.dataFolder,
      adminToken: () => testAdminToken,
      io,
    })
    await program.parseAsync(['node', 'headgate', 'alerts', ...argv])
  }
  await run('add-rule', 'slow', '--set', 'kind=latency', '--set', 'above=5s')
  await run('edit-rule', 'error-rate', '--set', 'above=20')
  await run('add-receiver', 'ops', '--from', file)
  await run('edit-receiver', 'ops', '--set', 'severity=critical')
  expect(out.trim().split('\n')).toEqual([
    'The rule "slow" of alerts is set.',
    'The rule "error-rate" of alerts is changed.',
    'The receiver "ops" of alerts is set.',
    'The receiver "ops" of alerts is changed.',
  ])
  await run('remove-rule', 'slow')
  await run('remove-receiver', 'ops')
  const admin = createAskAdmin(gateway.url)
  expect((await admin('GET', '/alerts/rules')).body).toMatchObject({
    written: [{ name: 'error-rate', above: 20 }],
  })
  expect((await admin('GET', '/alerts/receivers')).body).toEqual({ data: [], config_version: 6 })
})
