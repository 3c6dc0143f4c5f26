import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { changePreviewSchema } from '../../src/admin/config/config-contract.ts'
import {
  appliedDraftSchema,
  draftListSchema,
  draftSummarySchema,
  draftViewSchema,
} from '../../src/admin/drafts/draft-contract.ts'
import { effectsSchema } from '../../src/admin/effects/effect-contract.ts'
import { settingsViewSchema } from '../../src/admin/settings/settings-contract.ts'
import { ask } from '../support/ask.ts'
import { type AskAdmin, createAskAdmin } from '../support/ask-admin.ts'
import { streamRequest } from '../support/sample-streams.ts'
import { startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneFolder } from '../support/topology/needs.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const secret = 'sk-upstream-0123456789wxyz'
const channel = (name: string, more: object = {}) => ({
  name,
  provider: 'openai-compatible',
  base_url: `https://${name}.example/v1`,
  api_key: secret,
  models: ['m'],
  ...more,
})

async function beginDraft(admin: AskAdmin, more: object = {}) {
  const made = await admin('POST', '/drafts', { body: { name: 'a change', ...more } })
  expect(made.status, made.text).toBe(201)
  return draftSummarySchema.parse(made.body)
}

async function show(admin: AskAdmin, id: string) {
  const shown = await admin('GET', `/drafts/${id}`)
  expect(shown.status, shown.text).toBe(200)
  return draftViewSchema.parse(shown.body)
}

const textsOf = ({ effects }: { readonly effects: readonly { readonly text: string }[] }) =>
  effects.map(({ text }) => text)

const codeOf = ({ status, body }: { readonly status: number; readonly body: unknown }) => [
  status,
  (body as { error?: { code?: string } }).error?.code,
]

describe('a draft', () => {
  it('changes nothing until it is applied, then all of it at once, and is undone at once', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    const { id, revision, base_version } = await beginDraft(admin, { comment: 'for the team' })
    expect([revision, base_version]).toEqual([1, 0])
    const put = await admin('PUT', `/drafts/${id}/channels/made`, { body: channel('made') })
    expect(draftSummarySchema.parse(put.body)).toMatchObject({ revision: 2 })
    await admin('PUT', `/drafts/${id}/models/fast`, {
      body: { targets: [{ use: 'demo/demo-chat', weight: 3 }, 'made/m'] },
    })
    await admin('PUT', `/drafts/${id}/settings/retry`, { body: { value: { attempts: 5 } } })
    expect((await admin('GET', '/config')).body).toMatchObject({ version: 0, document: {} })
    const view = await show(admin, id)
    expect(view).toMatchObject({ ok: true, revision: 4, outdated: false, problems: [], conflicts: [] })
    expect(textsOf(view)).toEqual([
      'Setting retry: attempts – → 5',
      'The key test gains fast, m',
      'New: fast, m',
      'Channel added: made',
    ])
    expect(view.diff.map(({ kind, name, change, owner }) => [kind, name, change, owner])).toEqual([
      ['channels', 'made', 'added', 'api'],
      ['models', 'fast', 'added', 'api'],
      ['settings', 'retry', 'added', 'api'],
    ])
    expect(view.diff[0]?.fields).toContainEqual({ field: 'api_key', after: '…wxyz' })
    const body = { revision: view.revision }
    const applied = appliedDraftSchema.parse((await admin('POST', `/drafts/${id}/apply`, { body })).body)
    expect(applied.version).toBe(1)
    const answer = await ask({ url: gateway.url, format: 'chat' }, streamRequest('fast'))
    expect(answer.headers['x-headgate-model']).toBe('fast')
    expect((await admin('GET', '/config/versions')).body).toMatchObject({
      data: [{ version: 1, action: 'change', comment: 'for the team' }],
    })
    expect((await admin('GET', '/audit?limit=2')).body).toMatchObject({
      data: [
        { action: 'config.change', subject: '1' },
        { action: 'draft.create', subject: id },
      ],
    })
    expect(codeOf(await admin('GET', `/drafts/${id}`))).toEqual([404, 'draft_not_found'])
    const undo = changePreviewSchema.parse((await admin('GET', '/config/versions/1/undo')).body)
    expect(textsOf(undo)).toContain('No channel serves fast, m any more')
    expect(
      (await admin('POST', '/config/versions/1/undo', { body: { base_version: 1 } })).body,
    ).toMatchObject({ version: 2, document: {} })
  })

  it('creates an object only under a name that is neither in force, nor in the file, nor in the draft', async () => {
    await using gateway = await startGateway(`${demo}groups: { mine: { models: ["*"] } }\n`)
    const admin = createAskAdmin(gateway.url)
    await admin('POST', '/channels', { body: channel('made', { weight: 7 }) })
    const { id } = await beginDraft(admin)
    const create = async (kind: string, name: string, body: object) =>
      codeOf(await admin('POST', `/drafts/${id}/${kind}/${name}`, { body }))
    expect(await create('channels', 'made', channel('made'))).toEqual([409, 'name_taken'])
    expect(await create('groups', 'mine', { models: ['m'] })).toEqual([409, 'owned_by_file'])
    expect(await create('groups', 'fresh', { models: ['m'] })).toEqual([200, undefined])
    expect(await create('groups', 'fresh', { models: ['*'] })).toEqual([409, 'name_taken'])
    expect(await create('settings', 'retry', { value: { attempts: 5 } })).toEqual([200, undefined])
    expect(await create('settings', 'retry', { value: { attempts: 4 } })).toEqual([409, 'name_taken'])
    const receiver = { type: 'webhook', url: 'https://alerts.example/hook' }
    const rule = { kind: 'budget', severity: 'critical' }
    expect(await create('alert-receivers', 'ops', receiver)).toEqual([200, undefined])
    expect(await create('alert-receivers', 'ops', receiver)).toEqual([409, 'name_taken'])
    expect(await create('alert-rules', 'spend', rule)).toEqual([200, undefined])
    expect(await create('alert-rules', 'spend', rule)).toEqual([409, 'name_taken'])
    const { diff } = await show(admin, id)
    expect(diff.map(({ kind, name, change }) => [kind, name, change])).toEqual([
      ['groups', 'fresh', 'added'],
      ['settings', 'retry', 'added'],
      ['settings', 'alerts', 'added'],
    ])
    expect(diff[0]?.fields).toEqual([{ field: 'models', after: ['m'] }])
    await admin('DELETE', `/drafts/${id}/groups/fresh`)
    expect(await create('groups', 'fresh', { models: ['*'] })).toEqual([200, undefined])
  })

  it('stores its secrets sealed, and shows four characters of them', async () => {
    needsOneFolder('it reads the SQLite file')
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    const { id } = await beginDraft(admin)
    await admin('PUT', `/drafts/${id}/channels/made`, { body: channel('made') })
    // A masked secret that is sent back stays, as on the routes that apply at once.
    const patched = await admin('PATCH', `/drafts/${id}/channels/made`, {
      body: { api_key: '…wxyz', weight: 2 },
    })
    expect(patched.status).toBe(200)
    const shown = await admin('GET', `/drafts/${id}`)
    expect(shown.text).not.toContain(secret)
    for (const name of ['headgate.db', 'headgate.db-wal'])
      expect(readFileSync(join(gateway.dataFolder, name)).includes(secret)).toBe(false)
    await admin('POST', `/drafts/${id}/apply`)
    expect((await admin('GET', '/channels/made')).body).toMatchObject({ api_key: '…wxyz', weight: 2 })
  })

  it('that could not be applied says why, and is refused as a whole', async () => {
    await using gateway = await startGateway(`${demo}models: { mine: { targets: [demo/demo-chat] } }\n`)
    const admin = createAskAdmin(gateway.url)
    const { id } = await beginDraft(admin)
    await admin('PUT', `/drafts/${id}/models/fast`, { body: { targets: ['made/m'] } })
    const view = await show(admin, id)
    expect(view).toMatchObject({
      ok: false,
      effects: [],
      problems: [{ path: 'models.fast.targets[0]', fact: { code: 'unknown_name' } }],
    })
    expect(codeOf(await admin('POST', `/drafts/${id}/apply`))).toEqual([400, 'config_invalid'])
    for (const [path, body, expected] of [
      ['models/fast', { targets: 'made/m' }, [400, 'config_invalid']],
      ['channels/made', { ...channel('made'), weight: -1 }, [400, 'config_invalid']],
      ['models/mine', { targets: ['demo/demo-embed'] }, [409, 'owned_by_file']],
      ['settings/listen', { value: ':1' }, [404, 'config_object_not_found']],
      ['settings/retry', {}, [400, 'missing_field']],
      ['cows/daisy', {}, [404, 'config_object_not_found']],
    ] as const) {
      expect(codeOf(await admin('PUT', `/drafts/${id}/${path}`, { body })), path).toEqual(expected)
    }
    expect(codeOf(await admin('DELETE', `/drafts/${id}/budgets/spree`))).toEqual([
      404,
      'config_object_not_found',
    ])
    // None of them is in the draft.
    expect((await show(admin, id)).revision).toBe(2)
    await admin('PUT', `/drafts/${id}/channels/made`, { body: channel('made') })
    expect((await admin('POST', `/drafts/${id}/apply`)).status).toBe(200)
  })

  it('of an older version must be rebased first; conflicts are named, and one side is chosen for each', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    await admin('POST', '/models', { body: { name: 'fast', targets: ['demo/demo-chat'] } })
    const { id } = await beginDraft(admin)
    await admin('PATCH', `/drafts/${id}/models/fast`, { body: { strategy: 'cheapest' } })
    await admin('PUT', `/drafts/${id}/budgets/all`, {
      body: { scope: 'installation', limit_usd: 5, window: 'day' },
    })
    await admin('PATCH', '/models/fast', { body: { strategy: 'least-busy' } })
    await admin('POST', '/models', { body: { name: 'slow', targets: ['demo/demo-chat'] } })
    expect(codeOf(await admin('POST', `/drafts/${id}/apply`))).toEqual([409, 'draft_outdated'])
    const view = await show(admin, id)
    expect(view).toMatchObject({
      outdated: true,
      base_version: 1,
      conflicts: [{ kind: 'models', name: 'fast', mine: 'changed', theirs: 'changed' }],
    })
    // What newer versions added is not taken back.
    expect(textsOf(view)).toEqual(['fast: chosen by cheapest, not by least-busy', 'New budget all: $5'])
    const refused = await admin('POST', `/drafts/${id}/rebase`)
    expect(codeOf(refused)).toEqual([409, 'draft_conflict'])
    const fact = { code: 'changed_by_both', values: { draft: 'changed', newest: 'changed' } }
    expect(refused.body).toMatchObject({ error: { problems: [{ path: 'models.fast', fact }] } })
    const choices = [{ kind: 'models', name: 'fast', stays: 'newest' }]
    const rebased = await admin('POST', `/drafts/${id}/rebase`, { body: { choices } })
    expect(draftSummarySchema.parse(rebased.body)).toMatchObject({ outdated: false, base_version: 3 })
    expect((await show(admin, id)).diff.map(({ name }) => name)).toEqual(['all'])
    await admin('POST', `/drafts/${id}/apply`)
    expect((await admin('GET', '/models/fast')).body).toMatchObject({ strategy: 'least-busy' })
    expect((await admin('GET', '/models/slow')).status).toBe(200)
  })

  it('is limited in number and size, renamed, and discarded with a record', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    const { id } = await beginDraft(admin)
    const description = 'x'.repeat(2_000)
    const models = Object.fromEntries(
      Array.from({ length: 600 }, (_, index) => [`m-${index}`, { targets: ['demo/demo-chat'], description }]),
    )
    await admin('PUT', '/config', { body: { document: { models } } })
    expect(codeOf(await admin('POST', '/drafts', { body: { name: 'large' } }))).toEqual([
      413,
      'draft_too_large',
    ])
    for (let count = 1; count < 50; count += 1) await beginDraft(admin, { from_version: 0 })
    expect(codeOf(await admin('POST', '/drafts', { body: { name: 'x', from_version: 0 } }))).toEqual([
      409,
      'too_many_drafts',
    ])
    const renamed = await admin('PATCH', `/drafts/${id}`, { body: { name: 'other', comment: null } })
    expect(renamed.body).toMatchObject({ name: 'other', comment: null, revision: 2 })
    expect(codeOf(await admin('POST', `/drafts/${id}/apply`, { body: { revision: 1 } }))).toEqual([
      409,
      'draft_changed',
    ])
    expect((await admin('DELETE', `/drafts/${id}`)).status).toBe(200)
    const { data } = draftListSchema.parse((await admin('GET', '/drafts')).body)
    expect([data.length, data.some((draft) => draft.id === id)]).toEqual([49, false])
    expect((await admin('GET', '/audit?limit=1')).body).toMatchObject({
      data: [{ action: 'draft.discard', subject: id, details: ['name: other'] }],
    })
  })

  it('survives a restart, also one with another secret', async () => {
    const folder = makeTemporaryFolder()
    let id = ''
    {
      await using gateway = await startGateway(demo, folder, { secret: 'the-first-secret-0123456789' })
      const admin = createAskAdmin(gateway.url)
      id = (await beginDraft(admin)).id
      await admin('PUT', `/drafts/${id}/channels/made`, { body: channel('made') })
    }
    const secrets = { secret: 'another-secret-0123456789', previousSecret: 'the-first-secret-0123456789' }
    {
      await using gateway = await startGateway(demo, folder, secrets)
      expect(await show(createAskAdmin(gateway.url), id)).toMatchObject({ ok: true, problems: [] })
    }
    await using gateway = await startGateway(demo, folder, { secret: 'a-third-secret-0123456789' })
    expect(await show(createAskAdmin(gateway.url), id)).toMatchObject({
      ok: false,
      problems: [{ path: 'channels[0].api_key', message: expect.stringContaining('another secret') }, {}],
    })
  })
})

describe('undoing one version', () => {
  it('keeps the changes of later versions, and is refused if they changed the same objects', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    await admin('POST', '/models', { body: { name: 'fast', targets: ['demo/demo-chat'] } })
    await admin('POST', '/models', { body: { name: 'slow', targets: ['demo/demo-chat'] } })
    const free = changePreviewSchema.parse((await admin('GET', '/config/versions/1/undo')).body)
    expect(free).toMatchObject({ ok: true, conflicts: [] })
    expect(textsOf(free)).toEqual(['The key test loses fast', 'No channel serves fast any more'])
    await admin('PATCH', '/models/fast', { body: { strategy: 'cheapest' } })
    const hindered = changePreviewSchema.parse((await admin('GET', '/config/versions/1/undo')).body)
    expect(hindered.conflicts).toEqual([{ kind: 'models', name: 'fast', mine: 'removed', theirs: 'changed' }])
    const refused = await admin('POST', '/config/versions/1/undo')
    expect(codeOf(refused)).toEqual([409, 'undo_conflict'])
    expect(refused.body).toMatchObject({
      error: {
        message: expect.stringContaining('models.fast'),
        problems: [{ path: 'models.fast', fact: { code: 'changed_later', values: { version: 1 } } }],
      },
    })
    const forced = await admin('POST', '/config/versions/1/undo', { body: { force: true } })
    expect(forced.body).toMatchObject({ version: 4, document: { models: { slow: {} } } })
    expect((await admin('GET', '/config/versions')).body).toMatchObject({
      data: [{ action: 'undo', comment: 'undoes version 1' }, {}, {}, {}],
    })
    const restore = changePreviewSchema.parse((await admin('GET', '/config/versions/1/restore')).body)
    expect(textsOf(restore)).toContain('No channel serves slow any more')
    expect(codeOf(await admin('GET', '/config/versions/9/undo'))).toEqual([404, 'config_version_not_found'])
  })
})

describe('a setting', () => {
  it('is set and reset to its default, unless the file has it', async () => {
    await using gateway = await startGateway(`${demo}queue: off\n`)
    const admin = createAskAdmin(gateway.url)
    const sectionOf = (body: unknown, wanted: string) =>
      settingsViewSchema.parse(body).sections.find(({ name }) => name === wanted)
    const set = await admin('PUT', '/settings/retry', { body: { value: { attempts: 5 } } })
    expect([set.status, set.etag]).toEqual([200, '"1"'])
    expect(sectionOf(set.body, 'retry')).toMatchObject({
      owner: 'api',
      editable: true,
      value: { attempts: 5 },
    })
    expect(sectionOf(set.body, 'queue')).toMatchObject({ owner: 'file', editable: false })
    expect(sectionOf(set.body, 'listen')).toMatchObject({ editable: false })
    expect(codeOf(await admin('PUT', '/settings/queue', { body: { value: { size: 5 } } }))).toEqual([
      409,
      'owned_by_file',
    ])
    expect(codeOf(await admin('PUT', '/settings/retry', { body: { value: { attempts: 0 } } }))).toEqual([
      400,
      'config_invalid',
    ])
    const left = await admin('DELETE', '/settings/retry')
    expect(sectionOf(left.body, 'retry')).toMatchObject({ owner: 'default', value: { attempts: 3 } })
  })

  it('is patched in a draft, so that two changes of it do not undo each other', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    await admin('PUT', '/settings/retry', { body: { value: { attempts: 5, same_target: 2 } } })
    const { id } = draftSummarySchema.parse((await admin('POST', '/drafts', { body: { name: 'two' } })).body)
    const patch = (value: object) => admin('PATCH', `/drafts/${id}/settings/retry`, { body: { value } })
    expect((await patch({ attempts: 6 })).status).toBe(200)
    expect((await patch({ deadline: '2m', same_target: null })).status).toBe(200)
    const view = draftViewSchema.parse((await admin('GET', `/drafts/${id}`)).body)
    expect(view.diff).toMatchObject([
      {
        kind: 'settings',
        name: 'retry',
        change: 'changed',
        fields: expect.arrayContaining([
          { field: 'attempts', before: 5, after: 6 },
          { field: 'deadline', after: '2m' },
          { field: 'same_target', before: 2 },
        ]),
      },
    ])
  })

  it('is written in the same syntax in which it is set', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    const { sections } = settingsViewSchema.parse((await admin('GET', '/settings')).body)
    const editable = sections.filter((section) => section.editable)
    expect(editable.map(({ name }) => name).toSorted()).toEqual([
      'alerts',
      'capture',
      'heartbeat',
      'limits',
      'queue',
      'rate',
      'recovery',
      'retry',
      'unpriced',
    ])
    for (const { name, value } of editable)
      expect(codeOf(await admin('PUT', `/settings/${name}`, { body: { value } })), name).toEqual([
        200,
        undefined,
      ])
  })
})

describe('a preview', () => {
  it('reports the effect of a change of one object or key, and changes nothing', async () => {
    await using gateway = await startGateway(
      `${demo}groups: { search: { models: ["*"] } }\nbudgets: [{ name: all, scope: installation, limit_usd: 5, window: day }]\n`,
    )
    const admin = createAskAdmin(gateway.url)
    await admin('POST', '/groups', { body: { name: 'team', models: ['*'] } })
    const made = await admin('POST', '/keys', { body: { name: 'app', group: 'team' } })
    expect(made.status, made.text).toBe(201)
    const group = await admin('POST', '/config/preview', {
      body: { kind: 'groups', name: 'team', change: 'patch', object: { models: ['demo-embed'] } },
    })
    expect(textsOf(changePreviewSchema.parse(group.body))).toEqual([
      'The key app loses demo-chat',
      'The group team loses demo-chat',
    ])
    const owned = { kind: 'groups', name: 'search', change: 'remove' }
    expect(codeOf(await admin('POST', '/config/preview', { body: owned }))).toEqual([409, 'owned_by_file'])
    const key = await admin('POST', '/keys/app/preview', {
      body: { models: ['demo-chat'], rate: { rpm: 5 } },
    })
    expect(textsOf(effectsSchema.parse(key.body))).toEqual([
      'The key app loses demo-embed',
      'Rate limit of key:app: rpm – → 5',
    ])
    expect((await admin('GET', '/keys/app')).body).toMatchObject({ models: ['*'] })
    expect((await admin('GET', '/config')).body).toMatchObject({ version: 1 })
  })
})
