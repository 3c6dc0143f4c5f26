import { Command } from 'commander'
import { expect, it } from 'vitest'
import { auditListSchema } from '../../src/admin/audit/audit-contract.ts'
import { registerAuditCommand } from '../../src/cli/audit.ts'
import { registerKeysCommand } from '../../src/cli/keys.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneFolder } from '../support/topology/needs.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const made = 'sk-made-canary-0123456789wxyz'

/** Runs `headgate …` in this process; answers with what it wrote. */
async function run(folder: string, argv: readonly string[]): Promise<string> {
  let out = ''
  const write = (text: string) => {
    out += text
  }
  const program = new Command('headgate').exitOverride()
  const io = { write, writeError: () => undefined, isTerminal: false, setExitCode: () => undefined }
  const context = { dataFolder: () => folder, adminToken: () => testAdminToken, io }
  registerAuditCommand(program, context)
  registerKeysCommand(program, context)
  await program.parseAsync(['node', 'headgate', ...argv])
  return out
}

it('the audit log records who did what to keys, the configuration and health, when and from where, without secrets', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const { body } = await admin('POST', '/keys', { body: { name: 'ci', models: ['demo-chat'] } })
  const { id, secret } = body as { readonly id: string; readonly secret: string }
  await admin('PATCH', '/keys/ci', { body: { disabled: true } })
  await admin('DELETE', '/keys/ci')
  const channel = { name: 'made', provider: 'groq', api_key: made, models: ['m'] }
  await admin('PUT', '/config', { body: { document: { channels: [channel] }, comment: 'for the team' } })
  await admin('POST', '/config/undo')
  await admin('POST', '/health/reset', { body: { channel: 'demo' } })
  const { text } = await admin('GET', '/audit')
  const byToken = {
    author: 'admin token',
    credential: 'admin token',
    address: '127.0.0.1',
    actor: { author: { type: 'admin_token' }, credential: { type: 'admin_token' }, is_this_machine: false },
  }
  expect(auditListSchema.parse(JSON.parse(text))).toMatchObject({
    data: [
      { ...byToken, action: 'health.reset', subject: 'demo' },
      {
        ...byToken,
        action: 'config.undo',
        subject: '2',
        details: ['channel "made" removed', 'equal to version 0'],
      },
      {
        ...byToken,
        action: 'config.change',
        subject: '1',
        details: ['channel "made" added', 'comment: for the team'],
      },
      { ...byToken, action: 'key.revoke', subject: id, details: ['name: ci'] },
      { ...byToken, action: 'key.disable', subject: id, details: ['name: ci'] },
      { ...byToken, action: 'key.create', subject: id, details: ['name: ci', 'models: demo-chat'] },
      {
        author: 'configuration file',
        address: '',
        action: 'key.create',
        details: ['name: test', 'models: every model'],
      },
    ],
    next_before: null,
  })
  expect([secret, made].filter((one) => text.includes(one))).toEqual([])
})

it('the audit log has no record of refused requests, and is paged', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  for (const name of ['a', 'b', 'a', 'c']) await admin('POST', '/keys', { body: { name } })
  await admin('DELETE', '/keys/nobody')
  const first = auditListSchema.parse((await admin('GET', '/audit?limit=2')).body)
  const second = auditListSchema.parse(
    (await admin('GET', `/audit?limit=2&before=${first.next_before}`)).body,
  )
  const names = [...first.data, ...second.data].map(({ details: [name] }) => name)
  expect(names).toEqual(['name: c', 'name: b', 'name: a', 'name: test'])
  expect((await admin('GET', '/audit?limit=0')).status).toBe(400)
})

it('the audit log records which keys a file changed at startup, and nothing if it changed none', async () => {
  const folder = makeTemporaryFolder()
  const file = (...names: readonly string[]) =>
    `${demo}keys: [${names.map((name) => `{ name: ${name}, secret: the-secret-of-${name}-0123 }`).join(', ')}]\n`
  for (const names of [['a', 'b'], ['a', 'b'], ['b']])
    await (await startGateway(file(...names), folder))[Symbol.asyncDispose]()
  await using gateway = await startGateway(file('b'), folder)
  const { data } = auditListSchema.parse((await createAskAdmin(gateway.url)('GET', '/audit')).body)
  expect(data.map(({ action, details: [name] }) => [action, name])).toEqual([
    ['key.revoke', 'a'],
    ['key.create', 'name: b'],
    ['key.create', 'name: a'],
  ])
})

it('a command reads the audit log from the running server and from the folder alone, and commands are recorded, too', async () => {
  needsOneFolder('it reads the audit log of the folder')
  const folder = makeTemporaryFolder()
  let data = ''
  {
    await using gateway = await startGateway(demo, folder)
    data = gateway.dataFolder
    await createAskAdmin(gateway.url)('POST', '/keys', { body: { name: 'by-api' } })
    expect(await run(data, ['audit', '--limit', '1'])).toContain('key.create')
  }
  await run(data, ['keys', 'revoke', 'by-api'])
  const { data: entries } = auditListSchema.parse(JSON.parse(await run(data, ['audit', '--json'])))
  expect(
    entries.map(({ author, credential, address, action }) => [author, credential, address, action]),
  ).toEqual([
    ['command line', 'data folder', 'this machine', 'key.revoke'],
    ['admin token', 'admin token', '127.0.0.1', 'key.create'],
    ['configuration file', '', '', 'key.create'],
  ])
  expect(await run(data, ['audit', '--action', 'key.revoke'])).not.toContain('key.create')
  expect(await run(data, ['audit'])).toMatch(/NUMBER +WHEN \(UTC\) +WHO/)
})

it('the audit log lists the records of one author, or of one action, page by page', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  for (const name of ['one', 'two', 'three'])
    await admin('POST', '/keys', { body: { name, models: ['demo-chat'] } })
  await admin('DELETE', '/keys/two')
  const list = async (query: string) =>
    auditListSchema.parse(JSON.parse((await admin('GET', `/audit?${query}`)).text))
  const first = await list('action=key.create&author=admin%20token&limit=2')
  expect(first.data.map(({ details }) => details[0])).toEqual(['name: three', 'name: two'])
  const second = await list(`action=key.create&author=admin%20token&limit=2&before=${first.next_before}`)
  expect(second.data.map(({ details }) => details[0])).toEqual(['name: one'])
  expect((await list('action=key.revoke')).data).toMatchObject([{ author: 'admin token' }])
  expect((await list('author=nobody')).data).toEqual([])
  const { status } = await admin('GET', '/audit?action=key.creat')
  expect(status).toBe(400)
})
