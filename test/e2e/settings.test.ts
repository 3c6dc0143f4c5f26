import { Command } from 'commander'
import { expect, it } from 'vitest'
import { englishMessages } from '../../console/src/language/en/messages.ts'
import {
  changePreviewSchema,
  checkViewSchema,
  versionDetailSchema,
  versionDiffSchema,
} from '../../src/admin/config/config-contract.ts'
import { settingsViewSchema } from '../../src/admin/settings/settings-contract.ts'
import { registerConfigCommand } from '../../src/cli/config/config.ts'
import { registerSettingsCommand } from '../../src/cli/config/settings.ts'
import { configSchema } from '../../src/config/config-schema.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'
import { topology } from '../support/topology/topology.ts'

const canary = 'canary-0123456789'
const yaml = `channels: [{ name: demo, provider: demo }]
retry: { attempts: 5 }
alerts: { webhook: "https://hooks.example.com/services/${canary}", headers: { x-key: ${canary} } }
media: off
`

async function run(dataFolder: string, ...argv: readonly string[]): Promise<string> {
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const io = { write, writeError: write, isTerminal: false, setExitCode: () => undefined }
  const context = { dataFolder: () => dataFolder, adminToken: () => testAdminToken, io }
  const program = new Command('headgate').exitOverride()
  registerConfigCommand(program, context)
  registerSettingsCommand(program, context)
  await program.parseAsync(['node', 'headgate', ...argv])
  return out
}

it('each setting has a title in the console', async () => {
  await using gateway = await startGateway(yaml)
  const { body } = await createAskAdmin(gateway.url)('GET', '/settings')
  const names = settingsViewSchema.parse(body).sections.map(({ name }) => name)
  expect(names.length).toBeGreaterThan(20)
  expect(names.filter((name) => !Object.hasOwn(englishMessages, `settings.title.${name}`))).toEqual([])
})

it('warnings are sentences and facts, and each fact has its values', async () => {
  const day = 'limit_usd: 1, window: day'
  await using gateway = await startGateway(`channels:
  - { name: a, provider: openai-compatible, base_url: "https://a.example/v1", api_key: k, models: [m, n] }
keys: [{ name: ci, secret: 0123456789abcdef, models: [m, gone], budgets: [{ ${day} }] }]
budgets: [{ name: ofN, scope: "model:n", ${day} }]`)
  const { body } = await createAskAdmin(gateway.url)('GET', '/settings')
  const { warnings, warning_facts: facts } = settingsViewSchema.parse(body)
  expect(facts).toEqual([
    { kind: 'unserved_model', values: { object: 'keys', owner: 'ci', model: 'gone' } },
    { kind: 'unpriced_uncounted', values: { models: ['m', 'n'] } },
    { kind: 'refused_for_price', values: { refusals: [{ model: 'm', keys: ['ci'] }, { model: 'n' }] } },
  ])
  expect(warnings).toEqual([
    'keys: "ci" is granted "gone", which no channel serves',
    'models: no price is known for m, n, so what they cost is not counted; give each a "price"',
    'models: refused for want of a price, where a limit in money applies: m to ci; n to all keys',
  ])
})

it('the list has the settings in force with their owners, with defaults and without secrets', async () => {
  await using gateway = await startGateway(yaml)
  const admin = createAskAdmin(gateway.url)
  await admin('PUT', '/config', { body: { document: { queue: { size: 7 } } } })
  const { body, text } = await admin('GET', '/settings')
  const view = settingsViewSchema.parse(body)
  const find = (wanted: string) => view.sections.find(({ name }) => name === wanted)
  expect(find('retry')).toMatchObject({ owner: 'file', value: { attempts: 5, deadline: '10m' } })
  expect(find('queue')).toMatchObject({ owner: 'api', value: { size: 7, wait: '10s' } })
  expect(find('limits')).toMatchObject({ owner: 'default', value: { body: '32MB', connections: 10_000 } })
  expect(find('media')).toMatchObject({ owner: 'file', value: 'off' })
  expect(find('listen')).toMatchObject({ owner: 'file', restart: true })
  expect(find('alerts')?.value).toMatchObject({
    receivers: [{ name: 'webhook', url: 'https://hooks.example.com/…', headers: ['x-key'] }],
  })
  // What is written is shown beside what is in force, with the schema of the section.
  expect(find('queue')).toMatchObject({ written: { size: 7 }, editable: true })
  expect(find('retry')).toMatchObject({ written: { attempts: 5 }, editable: false })
  expect(find('limits')).toMatchObject({ written: null })
  expect(find('retry')?.schema).toMatchObject({
    properties: { attempts: { type: 'integer', minimum: 1, maximum: 20 } },
  })
  expect(text).not.toContain(canary)
  expect(view).toMatchObject({
    version: topology === 'one process' ? '0.0.0-test' : expect.any(String),
    config_version: 1,
    certificate: null,
  })
  // What holds objects has routes of its own.
  const others = ['channels', 'models', 'groups', 'users', 'budgets', 'keys']
  expect(view.sections.map(({ name }) => name).toSorted()).toEqual(
    Object.keys(configSchema.shape)
      .filter((name) => !others.includes(name))
      .toSorted(),
  )
  expect(await run(gateway.dataFolder, 'settings')).toMatch(/retry +file +- +{"attempts":5/)
})

it('a size or a duration is written in a form that is read as the same value', async () => {
  await using gateway = await startGateway(yaml)
  const { body } = await createAskAdmin(gateway.url)('GET', '/settings')
  const { sections } = settingsViewSchema.parse(body)
  const names = ['limits', 'retry', 'queue', 'recovery', 'heartbeat', 'request_log', 'stored_responses']
  const document = Object.fromEntries(
    sections.filter(({ name }) => names.includes(name)).map(({ name, value }) => [name, value]),
  )
  expect(configSchema.safeParse(document)).toMatchObject({ success: true })
})

it('versions are compared with the previous one, or with any other', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const admin = createAskAdmin(gateway.url)
  await admin('POST', '/groups', { body: { name: 'search' } })
  await admin('PATCH', '/groups/search', { body: { multiplier: 2 } })
  await admin('POST', '/channels', {
    body: { name: 'made', provider: 'groq', api_key: `sk-${canary}`, models: ['m'] },
  })
  const diff = async (path: string) => versionDiffSchema.parse((await admin('GET', path)).body)
  expect(await diff('/config/versions/2/diff')).toEqual({
    from: 1,
    to: 2,
    changes: ['group "search": multiplier changed from nothing to 2'],
    change_facts: [
      {
        kind: 'object_changed',
        gone: false,
        values: { object: 'group', name: 'search', field: 'multiplier', after: '2' },
      },
    ],
  })
  const all = await diff('/config/versions/3/diff?from=0')
  expect(all.changes).toEqual(['channel "made" added', 'group "search" added'])
  expect((await diff('/config/versions/1/diff?from=3')).changes).toContain('channel "made" removed')
  expect((await admin('GET', '/config/versions/9/diff')).status).toBe(404)
  expect(await run(gateway.dataFolder, 'config', 'diff', '2')).toContain('multiplier changed')
  expect(await run(gateway.dataFolder, 'config', 'schema')).toContain('"$schema"')
})

it('each difference of a version and of a preview is a sentence and a fact', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const admin = createAskAdmin(gateway.url)
  await admin('POST', '/groups', { body: { name: 'search' } })
  const added = { kind: 'object_added', gone: false, values: { object: 'group', name: 'search' } }
  const version = versionDetailSchema.parse((await admin('GET', '/config/versions/1')).body)
  expect(version).toMatchObject({ changes: ['group "search" added'], change_facts: [added] })
  const undo = changePreviewSchema.parse((await admin('GET', '/config/versions/1/undo')).body)
  expect(undo.change_facts).toEqual([{ ...added, kind: 'object_removed' }])
  const body = { document: { groups: { search: {}, other: {} } } }
  const check = checkViewSchema.parse((await admin('POST', '/config/check', { body })).body)
  expect(check.change_facts).toEqual([{ ...added, values: { object: 'group', name: 'other' } }])
})

it('a version that undoes another names it as data', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const admin = createAskAdmin(gateway.url)
  await admin('POST', '/groups', { body: { name: 'search' } })
  await admin('POST', '/config/versions/1/undo')
  const undone = versionDetailSchema.parse((await admin('GET', '/config/versions/2')).body)
  expect(undone).toMatchObject({ comment: 'undoes version 1', undoes: 1 })
  expect(undone.actor.author).toEqual({ type: 'admin_token' })
  const first = versionDetailSchema.parse((await admin('GET', '/config/versions/1')).body)
  expect(first.undoes).toBeNull()
})

it('a patch of a setting keeps concurrent changes to it, and returns the version that it created', async () => {
  await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n')
  const admin = createAskAdmin(gateway.url)
  const patch = async (name: string, value: unknown) => {
    const { body } = await admin('PATCH', `/settings/${name}`, { body: { value } })
    const { config_version: version, sections } = settingsViewSchema.parse(body)
    return [version, sections.find((section) => section.name === name)?.written]
  }
  expect(await patch('retry', { attempts: 5 })).toEqual([1, { attempts: 5 }])
  expect(await patch('retry', { deadline: '2m' })).toEqual([2, { attempts: 5, deadline: '2m' }])
  expect(await patch('retry', { attempts: null })).toEqual([3, { deadline: '2m' }])
  expect(await patch('queue', 'off')).toEqual([4, 'off'])
  expect(await patch('queue', { size: 7 })).toEqual([5, { size: 7 }])
  const wrong = await admin('PATCH', '/settings/retry', { body: { value: { attempts: 'many' } } })
  expect(wrong.body).toMatchObject({ error: { code: 'config_invalid', param: 'retry.attempts' } })
})
