import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { auditListSchema } from '../../src/admin/audit/audit-contract.ts'
import { budgetViewSchema } from '../../src/admin/budgets/budget-contract.ts'
import { draftListSchema } from '../../src/admin/drafts/draft-contract.ts'
import { groupListSchema, groupViewSchema, memberListSchema } from '../../src/admin/groups/group-contract.ts'
import { registerObjectCommands } from '../../src/cli/objects/register-objects.ts'
import { addUser, codeOf, makeOwner, secretOf } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { callModel } from '../support/call-model.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'

const yaml = `channels: [{ name: demo, provider: demo, models: [demo-chat, demo-embed] }]
groups: { ours: { models: ["demo-*"] } }
budgets: [{ name: all, scope: installation, limit_usd: 100, window: month }]
`

describe('a group', () => {
  it('is created, limits the keys of its members at once, is changed, and deleted once it has no keys', async () => {
    await using gateway = await startGateway(yaml)
    const owner = await makeOwner(gateway)
    const body = { name: 'search', models: ['demo-chat'], budgets: [{ limit_usd: 5, window: 'day' }] }
    const made = await owner.ask('POST', '/groups', body)
    expect(made).toMatchObject({ status: 201, body: { ...body, owner: 'api', members: 0, keys: 0 } })
    const mia = await addUser(owner, gateway, { role: 'member', name: 'mia', groups: [{ group: 'search' }] })
    const key = secretOf(await mia.ask('POST', '/keys', { name: 'mine' }))
    expect((await callModel(gateway, key)).status).toBe(200)
    expect((await callModel(gateway, key, 'demo-embed')).status).toBe(404)

    const shown = await owner.ask('GET', '/groups/search')
    expect(groupViewSchema.parse(shown.body)).toMatchObject({ members: 1, keys: 1, managers: [] })
    expect((await owner.ask('PUT', '/groups/search', shown.body)).status).toBe(200)
    await owner.ask('PATCH', '/groups/search', { models: null })
    expect((await callModel(gateway, key, 'demo-embed')).status).not.toBe(404)

    const refused = await owner.ask('DELETE', '/groups/search')
    expect(codeOf(refused)).toBe('group_in_use')
    await mia.ask('DELETE', '/keys/mine')
    expect((await owner.ask('DELETE', '/groups/search')).body).toMatchObject({ name: 'search', members: 1 })
    expect((await owner.ask('GET', '/users/mia')).body).toMatchObject({ groups: [] })
    expect((await owner.ask('POST', '/config/undo', {})).status).toBe(200)
    expect((await owner.ask('GET', '/groups/search')).body).toMatchObject({ members: 0 })
  })

  it('is refused for its name by the field of the name, as limits of a user and an alias are', async () => {
    await using gateway = await startGateway(yaml)
    const admin = createAskAdmin(gateway.url)
    const [long, control] = ['g'.repeat(65), 'a.b\u0007']
    for (const [path, body] of [
      ['/groups', { name: long }],
      ['/groups', { name: '__proto__' }],
      ['/user-limits', { name: control, rate: { rpm: 5 } }],
      ['/models', { name: control, targets: ['demo/demo-chat'] }],
    ] as const) {
      const problem = { path: 'name', owner: 'api' }
      const message = expect.stringContaining('Nothing was changed. name: ')
      const error = { code: 'config_invalid', param: 'name', message, problems: [problem] }
      expect((await admin('POST', path, { body })).body, path).toMatchObject({ error })
    }
  })

  it('with keys cannot be removed by undoing or restoring a version, by a document or by a draft', async () => {
    await using gateway = await startGateway(yaml)
    const owner = await makeOwner(gateway)
    await owner.ask('POST', '/groups', { name: 'search' })
    await owner.ask('POST', '/keys', { name: 'mine', group: 'search' })
    await owner.ask('POST', '/drafts', { name: 'empty', from_version: 0 })
    const [draft] = draftListSchema.parse((await owner.ask('GET', '/drafts')).body).data
    for (const [method, path, body] of [
      ['POST', '/config/undo', {}],
      ['POST', '/config/versions/1/undo', {}],
      ['POST', '/config/versions/0/restore', {}],
      ['PUT', '/config', { document: {} }],
      ['POST', `/drafts/${draft?.id}/apply`, {}],
    ] as const) {
      const refused = await owner.ask(method, path, body)
      expect([path, refused.status, codeOf(refused)]).toEqual([path, 409, 'group_in_use'])
    }
    expect((await owner.ask('GET', '/groups/search')).status).toBe(200)
    for (const [method, path, body] of [
      ['GET', '/config/versions/1/undo', undefined],
      ['GET', '/config/versions/0/restore', undefined],
      ['POST', '/config/check', { document: {} }],
      ['POST', '/config/preview', { kind: 'groups', name: 'search', change: 'remove' }],
      ['GET', `/drafts/${draft?.id}`, undefined],
    ] as const) {
      const preview = await owner.ask(method, path, body)
      const problems = [{ path: 'groups.search', fact: { code: 'group_has_keys' } }]
      expect([path, preview.status, preview.body]).toMatchObject([path, 200, { ok: false, problems }])
    }
  })

  it('that was removed by undoing its version has no members when it is created again', async () => {
    await using gateway = await startGateway(yaml)
    const owner = await makeOwner(gateway)
    await owner.ask('POST', '/groups', { name: 'search' })
    await addUser(owner, gateway, {
      role: 'member',
      name: 'mia',
      groups: [{ group: 'search', manager: true }],
    })
    expect((await owner.ask('POST', '/config/undo', {})).status).toBe(200)
    expect((await owner.ask('POST', '/groups', { name: 'search' })).body).toMatchObject({
      members: 0,
      managers: [],
    })
  })

  it('of the file is shown as such, beside those of the API, and is changed in the file alone', async () => {
    await using gateway = await startGateway(yaml)
    const admin = createAskAdmin(gateway.url)
    for (const name of ['theirs', 'mine']) await admin('POST', '/groups', { body: { name } })
    const list = groupListSchema.parse((await admin('GET', '/groups')).body)
    expect(list.data.map(({ name, owner }) => [name, owner])).toEqual([
      ['mine', 'api'],
      ['ours', 'file'],
      ['theirs', 'api'],
    ])
    for (const [method, path, body] of [
      ['POST', '/groups', { name: 'ours' }],
      ['PUT', '/groups/ours', {}],
      ['PATCH', '/groups/ours', { multiplier: 2 }],
      ['DELETE', '/groups/ours', undefined],
    ] as const) {
      const { status, text } = await admin(method, path, body === undefined ? {} : { body })
      const says =
        method === 'POST' ? 'already, in the configuration file' : 'belongs to the configuration file'
      expect([method, status, text]).toEqual([method, 409, expect.stringContaining(says)])
    }
    const wrong = await admin('PATCH', '/groups/mine', { body: { multiplier: -1 } })
    expect(wrong.body).toMatchObject({ error: { code: 'config_invalid', param: 'multiplier' } })
    const page = groupListSchema.parse((await admin('GET', '/groups?owner=api&sort=-name&limit=1')).body)
    expect(page.data.map(({ name }) => name)).toEqual(['theirs'])
    const next = await admin('GET', `/groups?owner=api&sort=-name&limit=1&after=${page.next_after}`)
    expect(groupListSchema.parse(next.body)).toMatchObject({ data: [{ name: 'mine' }], next_after: null })
  })
})

describe('the users of a group', () => {
  it('join, become managers and leave, each in the audit log, and their keys stay', async () => {
    await using gateway = await startGateway(yaml)
    const owner = await makeOwner(gateway)
    const mia = await addUser(owner, gateway, { role: 'member', name: 'mia' })
    const max = await addUser(owner, gateway, { role: 'member', name: 'max', groups: [{ group: 'ours' }] })
    const path = '/groups/ours/members/mia'
    expect((await owner.ask('PUT', path, {})).body).toMatchObject({ name: 'mia', manager: false })
    expect((await mia.ask('POST', '/keys', { name: 'mine' })).body).toMatchObject({ group: 'ours' })
    expect(codeOf(await mia.ask('GET', '/groups/ours/members'))).toBe('not_permitted')
    expect((await owner.ask('PUT', path, { manager: true })).body).toMatchObject({ manager: true })
    const members = memberListSchema.parse((await mia.ask('GET', '/groups/ours/members')).body)
    expect(members.data.map(({ name, manager }) => [name, manager])).toEqual([
      ['max', false],
      ['mia', true],
    ])
    expect((await max.ask('GET', '/groups')).body).toMatchObject({
      data: [{ name: 'ours', managers: ['mia'], members: null, keys: null }],
    })
    expect(codeOf(await mia.ask('PUT', '/groups/ours/members/max', { manager: true }))).toBe('not_permitted')
    expect((await owner.ask('DELETE', path)).body).toEqual({ group: 'ours', user: 'mia', keys: 1 })
    expect(codeOf(await owner.ask('DELETE', path))).toBe('user_not_found')
    expect(codeOf(await owner.ask('PUT', '/groups/none/members/mia', {}))).toBe('config_object_not_found')
    expect((await mia.ask('GET', '/groups')).body).toMatchObject({ data: [] })
    const audit = auditListSchema.parse((await owner.ask('GET', '/audit?limit=10')).body)
    const changes = audit.data.filter(({ action }) => action === 'user.change').toReversed()
    expect(changes.map(({ author, details }) => [author, ...details])).toEqual([
      ['olga', 'name: mia', 'member of group: ours'],
      ['olga', 'name: mia', 'manager of group: ours'],
      ['olga', 'name: mia', 'left group: ours'],
    ])
  })

  it('with the role of owner can be moved by owners alone', async () => {
    await using gateway = await startGateway(yaml)
    const owner = await makeOwner(gateway)
    const admin = await addUser(owner, gateway, { role: 'admin', name: 'adam' })
    expect(codeOf(await admin.ask('PUT', '/groups/ours/members/olga', {}))).toBe('owner_required')
    expect((await admin.ask('PUT', '/groups/ours/members/adam', {})).status).toBe(200)
  })
})

it('limits of a user and budgets of the installation are separate objects, beside those of the file', async () => {
  await using gateway = await startGateway(yaml)
  const admin = createAskAdmin(gateway.url)
  const limits = { name: 'alice', budgets: [{ limit_usd: 5, window: 'day' }] }
  expect((await admin('POST', '/user-limits', { body: limits })).body).toMatchObject({
    ...limits,
    owner: 'api',
  })
  await admin('POST', '/user-limits', { body: { name: 'alice-two', budgets: limits.budgets } })
  const named = async (path: string) =>
    (await admin('GET', path)).body as { readonly data: readonly { readonly name: string }[] }
  const namesOf = async (path: string) => (await named(path)).data.map(({ name }) => name)
  expect(await namesOf('/user-limits?q=alice')).toEqual(['alice', 'alice-two'])
  expect(await namesOf('/user-limits?name=alice')).toEqual(['alice'])
  expect(await namesOf('/budgets?scope=user:alice')).toEqual(['user:alice/day'])
  expect((await admin('GET', '/budgets?scope=alice')).status).toBe(400)
  expect((await admin('DELETE', '/user-limits/alice-two')).status).toBe(200)
  const budget = { name: 'chat', scope: 'model:demo-chat', limit_usd: 10, window: 'day', warn_at: [50] }
  expect((await admin('POST', '/budgets', { body: budget })).status).toBe(201)
  expect((await admin('PATCH', '/budgets/chat', { body: { limit_usd: 15 } })).status).toBe(200)
  expect((await admin('PUT', '/budgets/chat', { body: { ...budget, limit_usd: 20 } })).status).toBe(200)
  expect((await admin('PATCH', '/user-limits/alice', { body: { rate: { rpm: 9 } } })).status).toBe(200)
  expect((await admin('GET', '/user-limits/alice')).body).toMatchObject({ ...limits, rate: { rpm: 9 } })
  expect((await admin('PUT', '/user-limits/alice', { body: limits })).body).toMatchObject(limits)
  const shown = budgetViewSchema.parse((await admin('GET', '/budgets/chat')).body)
  expect(shown).toMatchObject({ owner: 'api', base_limit_usd: 20, limit_usd: 20, warn_at: [50] })
  expect((await admin('GET', '/budgets/all')).body).toMatchObject({ owner: 'file' })
  expect((await admin('GET', '/budgets/user:alice%2Fday')).body).toMatchObject({ owner: null })
  expect((await admin('PATCH', '/budgets/all', { body: { limit_usd: 1 } })).status).toBe(409)
  expect((await admin('DELETE', '/budgets/chat')).status).toBe(200)
  expect((await admin('DELETE', '/user-limits/alice')).status).toBe(200)
  expect((await admin('GET', '/user-limits')).body).toMatchObject({ data: [], next_after: null })
})

it('commands manage groups and limits in the same way', async () => {
  await using gateway = await startGateway(yaml)
  await makeOwner(gateway)
  const run = async (...argv: readonly string[]) => {
    let out = ''
    const write = (text: string) => {
      out += text
    }
    const io = { write, writeError: write, isTerminal: false, setExitCode: () => undefined }
    const program = new Command('headgate').exitOverride()
    registerObjectCommands(program, {
      dataFolder: () => gateway.dataFolder,
      adminToken: () => testAdminToken,
      io,
    })
    await program.parseAsync(['node', 'headgate', ...argv])
    return out
  }
  expect(await run('groups', 'add', 'search', '--models', 'demo-chat', '--budget', '5/day')).toBe(
    'The group "search" is added.\n',
  )
  expect(await run('groups', 'join', 'search', 'olga', '--manager')).toContain('manages the group "search"')
  expect(await run('groups', 'list')).toMatch(/search +demo-chat +- +5\/day +- +1 +olga +0 +api/)
  expect(await run('groups', 'members', 'search')).toMatch(/olga +owner +yes +active/)
  expect(await run('groups', 'leave', 'search', 'olga')).toContain('has left')
  expect(await run('groups', 'remove', 'search')).toBe('The group "search" is removed.\n')
  expect(await run('groups', 'remove', 'ours')).toContain('belongs to the configuration file')
})
