import { createSecretKey } from 'node:crypto'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAdminRequest } from '../../../test/support/create-admin-request.ts'
import { createFakeClock } from '../../../test/support/fake-clock.ts'
import { openTerms } from '../../../test/support/key-terms.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { groupsSchema } from '../../access/group-schema.ts'
import { createKeyRegistry } from '../../access/key-registry.ts'
import type { BootstrapKey } from '../../access/key-schema.ts'
import type { KeyStore } from '../../access/key-store.ts'
import { openDataFolder } from '../../app/open-data-folder.ts'
import { GatewayError } from '../../canonical/failure.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { openKeyStore } from '../../storage/open-key-store.ts'
import { createAdminRoutes } from '../admin-routes.ts'
import type { KeyOperations } from './key-contract.ts'
import { createKeyOperations, makeFirstKey } from './manage-keys.ts'

const fromFile: BootstrapKey = { ...openTerms, name: 'from-file', secret: 'a secret of the file' }

async function openAdmin({ folder = makeTemporaryFolder(), bootstrap = [] as readonly BootstrapKey[] } = {}) {
  const clock = createFakeClock(Date.parse('2026-11-20T12:00:00Z'))
  const keys = await openDataFolder(folder, { clock, random: systemRandom }).openKeys(bootstrap)
  onTestFinished(() => keys.close())
  const routes = createAdminRoutes({ keys: keys.operations, version: '0.0.0' })

  async function call(method: string, path: string, body?: unknown) {
    const [pathname = '', search] = path.split('?')
    const [, id, action = ''] = /^\/admin\/v1\/keys\/([^/]+)(\/rotate)?$/.exec(pathname) ?? []
    const template = id === undefined ? pathname : `/admin/v1/keys/{id}${action}`
    const route = routes.find((row) => row.method === method && row.path === template)
    if (route === undefined) throw new Error(`no route ${method} ${path}`)
    const query = Object.fromEntries(new URLSearchParams(search))
    const params = id === undefined ? {} : { id: decodeURIComponent(id) }
    return route.handler(createAdminRequest({ params, query, body }))
  }

  function use(secret: string): string {
    try {
      const source = { headers: { 'x-api-key': secret }, queryKey: undefined, address: '192.0.2.1' }
      return keys.registry.authenticate(source).keyName
    } catch (error) {
      return error instanceof GatewayError ? error.failure.code : String(error)
    }
  }
  return { clock, keys, routes, call, use, folder }
}

describe('making a key', () => {
  test('returns the secret once, which works at once and is stored nowhere', async () => {
    const { call, use, keys, folder } = await openAdmin()
    const input = {
      name: 'ci',
      models: ['gpt-4o'],
      group: 'search',
      allow_ips: ['192.0.2.0/24'],
      dry_run: true,
      user: 'alice',
      budgets: [{ limit_usd: 5, window: 'rolling 5h', mode: 'observe', warn_at: [100] }],
      rate: { rpm: 60 },
      tags: { team: 'search' },
      caller_tags: true,
      end_user_budget: null,
      passthrough: ['openai'],
    }
    const { end_user_budget: _, ...order } = input
    keys.registry.changeGroups(groupsSchema.parse({ search: {} }))
    const { status, body } = await call('POST', '/admin/v1/keys', {
      ...order,
      expires_at: '2027-01-01T01:00:00+01:00',
    })
    const { secret, ...view } = body
    expect(status).toBe(201)
    expect(view).toEqual({
      ...input,
      id: expect.stringMatching(/^key_[0-9a-f]{24}$/),
      hint: String(secret).slice(0, 10),
      expires_at: '2027-01-01T00:00:00.000Z',
      status: 'active',
      revoked_at: null,
      created_at: '2026-11-20T12:00:00.000Z',
      last_used_at: null,
      previous_secret_until: null,
      capture: 'off',
      warnings: [],
      warning_facts: [],
      origin: 'made',
    })
    expect(use(String(secret))).toBe('ci')
    const used = { ...view, last_used_at: '2026-11-20T12:00:00.000Z', cost_this_month_usd: null }
    expect((await call('GET', '/admin/v1/keys')).body).toEqual({ data: [used], next_after: null })
    await keys.close()
    expect(readFileSync(join(folder, 'headgate.db')).includes(String(secret).slice(10))).toBe(false)
  })

  test.each<[string, unknown, string, string | undefined]>([
    ['no body', undefined, 'body_not_object', undefined],
    ['a list', [], 'body_not_object', undefined],
    ['no name', {}, 'missing_field', 'name'],
    ['an empty name', { name: '' }, 'invalid_field', 'name'],
    ['a field that does not exist', { name: 'a', colour: 'red' }, 'invalid_field', 'colour'],
    ['a secret of the client', { name: 'a', secret: 'x'.repeat(20) }, 'invalid_field', 'secret'],
    ['models that are no list', { name: 'a', models: 'gpt-4o' }, 'invalid_field', 'models'],
    ['an address that is none', { name: 'a', allow_ips: ['10.0.0.0/99'] }, 'invalid_field', 'allow_ips.0'],
    ['a long pattern', { name: 'a', models: [`${'*'.repeat(256)}a`] }, 'invalid_field', 'models.0'],
    [
      'more addresses than a key needs',
      { name: 'a', allow_ips: Array<string>(10_001).fill('10.0.0.0/8') },
      'invalid_field',
      'allow_ips',
    ],
    [
      'an address in much space',
      { name: 'a', allow_ips: [`10.0.0.1${' '.repeat(1_000)}`] },
      'invalid_field',
      'allow_ips.0',
    ],
    ['a date that is none', { name: 'a', expires_at: 'soon' }, 'invalid_field', 'expires_at'],
    ['a date in the past', { name: 'a', expires_at: '2026-11-20T12:00:00Z' }, 'invalid_field', 'expires_at'],
  ])('with %s is refused', async (_case, body, code, param) => {
    const { call } = await openAdmin()
    const failure = { code, ...(param === undefined ? {} : { param }) }
    await expect(call('POST', '/admin/v1/keys', body)).rejects.toMatchObject({ failure })
  })

  test('under a name that is in use is refused until the key with that name is revoked', async () => {
    const { call } = await openAdmin()
    await call('POST', '/admin/v1/keys', { name: 'ci' })
    const again = () => call('POST', '/admin/v1/keys', { name: 'ci' })
    await expect(again()).rejects.toMatchObject({ failure: { code: 'name_taken' } })
    await call('DELETE', '/admin/v1/keys/ci')
    await expect(again()).resolves.toMatchObject({ status: 201 })
  })
})

describe('making a key in a group', () => {
  const groups = groupsSchema.parse({
    search: {
      key_defaults: {
        expires: '90d',
        models: ['gpt-*'],
        budgets: [{ limit_usd: 5, window: 'day' }],
        rate: { rpm: 60 },
      },
    },
  })

  test('applies the defaults of the group to fields that the request leaves out', async () => {
    const { call, keys } = await openAdmin()
    keys.registry.changeGroups(groups)
    const order = { name: 'ci', group: 'search', models: ['gpt-4o'], rate: { rpm: 5 } }
    expect((await call('POST', '/admin/v1/keys', order)).body).toMatchObject({
      models: ['gpt-4o'],
      rate: { rpm: 5 },
      budgets: [{ limit_usd: 5, window: 'day' }],
      expires_at: '2027-02-18T12:00:00.000Z',
    })
    const never = { name: 'lasting', group: 'search', expires_at: null }
    expect((await call('POST', '/admin/v1/keys', never)).body).toMatchObject({
      expires_at: null,
      models: ['gpt-*'],
    })
    expect((await call('POST', '/admin/v1/keys', { name: 'free' })).body).toMatchObject({
      models: ['*'],
      budgets: [],
      expires_at: null,
    })
  })

  test('that does not exist is refused', async () => {
    const { call, keys } = await openAdmin()
    keys.registry.changeGroups(groups)
    await expect(call('POST', '/admin/v1/keys', { name: 'ci', group: 'serach' })).rejects.toThrow(
      '"group": there is no group "serach", so the key could use nothing; did you mean "search"?',
    )
    await call('POST', '/admin/v1/keys', { name: 'ci' })
    await expect(call('PATCH', '/admin/v1/keys/ci', { group: 'ads' })).rejects.toThrow(
      'there is no group "ads"',
    )
  })

  test('is refused if the configuration is unknown, since its defaults are unknown too', async () => {
    const { call } = await openAdmin()
    const made = call('POST', '/admin/v1/keys', { name: 'ci', group: 'search' })
    await expect(made).rejects.toMatchObject({ failure: { code: 'invalid_field', param: 'group' } })
  })
})

describe('a change of a key', () => {
  const all = {
    name: 'build',
    models: ['qwen*', 'o3'],
    user: 'alice',
    group: 'search',
    expires_at: '30d',
    allow_ips: ['192.0.2.0/24'],
    disabled: false,
    dry_run: true,
    budgets: [{ limit_usd: 5, window: 'day' }],
    rate: { rpm: 60, wait: '5s' },
    tags: { team: 'search' },
    caller_tags: true,
    end_user_budget: { limit_usd: 1, window: 'month' },
    passthrough: ['openai'],
  }

  test('can set any field, and takes effect from the next request on', async () => {
    const { call, keys, use } = await openAdmin()
    keys.registry.changeGroups(groupsSchema.parse({ search: {} }))
    const { body } = await call('POST', '/admin/v1/keys', { name: 'ci' })
    const { status, body: view } = await call('PATCH', '/admin/v1/keys/ci', all)
    expect(status).toBe(200)
    const { disabled: _, ...shown } = all
    expect(view).toMatchObject({
      ...shown,
      models: ['o3', 'qwen*'],
      expires_at: '2026-12-20T12:00:00.000Z',
    })
    expect(use(String(body['secret']))).toBe('build')
    const emptied = {
      user: null,
      group: null,
      expires_at: null,
      allow_ips: null,
      rate: {},
      end_user_budget: null,
    }
    const after = (await call('PATCH', '/admin/v1/keys/build', { ...emptied, budgets: [], tags: {} })).body
    expect(after).toMatchObject({
      ...emptied,
      allow_ips: [],
      rate: null,
      budgets: [],
      tags: {},
      dry_run: true,
    })
  })

  test('keeps the fields that it does not name', async () => {
    const { call, keys } = await openAdmin()
    keys.registry.changeGroups(groupsSchema.parse({ search: {} }))
    await call('POST', '/admin/v1/keys', { name: 'ci' })
    const before = (await call('PATCH', '/admin/v1/keys/ci', all)).body
    for (const field of Object.keys(all).filter((name) => name !== 'disabled' && name !== 'expires_at')) {
      const again = (await call('PATCH', '/admin/v1/keys/build', { [field]: Reflect.get(all, field) })).body
      expect(again, field).toEqual(before)
    }
  })

  test('is in the audit with the old and the new values', async () => {
    const { call, keys } = await openAdmin()
    const { body } = await call('POST', '/admin/v1/keys', { name: 'ci', models: ['o3'], user: 'alice' })
    await call('PATCH', '/admin/v1/keys/ci', { models: ['qwen*'], user: null, rate: { rpm: 60 } })
    const [record] = await keys.audit.list({ before: undefined, limit: 1 })
    expect(record).toMatchObject({
      action: 'key.change',
      subject: body['id'],
      details: [
        'name: ci',
        'no longer models: o3',
        'no longer user: alice',
        'models: qwen*',
        'rate: {"rpm":60}',
      ],
    })
  })

  test.each<[string, object, string]>([
    ['nothing', {}, 'invalid_field'],
    ['a field that does not exist', { colour: 'red' }, 'invalid_field'],
    ['a secret', { secret: 'x'.repeat(20) }, 'invalid_field'],
    ['a name that is taken', { name: 'other' }, 'name_taken'],
    ['an end in the past', { expires_at: '2026-11-20' }, 'invalid_field'],
    ['an end that is no time', { expires_at: 'soon' }, 'invalid_field'],
    ['a budget that is none', { budgets: [{ limit_usd: 5 }] }, 'invalid_field'],
  ])('to %s is refused', async (_case, change, code) => {
    const { call } = await openAdmin()
    await call('POST', '/admin/v1/keys', { name: 'ci' })
    await call('POST', '/admin/v1/keys', { name: 'other' })
    await expect(call('PATCH', '/admin/v1/keys/ci', change)).rejects.toMatchObject({ failure: { code } })
  })
})

describe('rotating a key', () => {
  test('adds a second secret, and the old one ends after the overlap', async () => {
    const { call, use, clock, keys } = await openAdmin()
    const made = (await call('POST', '/admin/v1/keys', { name: 'ci' })).body
    const rotated = (await call('POST', '/admin/v1/keys/ci/rotate', { overlap: '1h' })).body
    expect(rotated).toMatchObject({
      id: made['id'],
      hint: String(rotated['secret']).slice(0, 10),
      previous_secret_until: '2026-11-20T13:00:00.000Z',
    })
    const both = () => [use(String(made['secret'])), use(String(rotated['secret']))]
    expect(both()).toEqual(['ci', 'ci'])
    clock.advance(3_600_000)
    expect(both()).toEqual(['invalid_api_key', 'ci'])
    expect((await call('GET', '/admin/v1/keys/ci')).body).toMatchObject({ previous_secret_until: null })
    const [record] = await keys.audit.list({ before: undefined, limit: 1 })
    expect(record).toMatchObject({ action: 'key.rotate', subject: made['id'] })
    expect(JSON.stringify(record)).not.toContain(String(rotated['secret']))
  })

  test('survives a restart', async () => {
    const folder = makeTemporaryFolder()
    const before = await openAdmin({ folder })
    const made = (await before.call('POST', '/admin/v1/keys', { name: 'ci' })).body
    const rotated = (await before.call('POST', '/admin/v1/keys/ci/rotate', {})).body
    await before.keys.close()
    const { use, clock } = await openAdmin({ folder })
    const both = () => [use(String(made['secret'])), use(String(rotated['secret']))]
    expect(both()).toEqual(['ci', 'ci'])
    clock.advance(24 * 3_600_000)
    expect(both()).toEqual(['invalid_api_key', 'ci'])
  })

  test('without an overlap ends the old secret at once, along with any secret that still overlaps', async () => {
    const { call, use } = await openAdmin()
    const secrets = [String((await call('POST', '/admin/v1/keys', { name: 'ci' })).body['secret'])]
    for (const overlap of ['1h', '1h', '0s'])
      secrets.push(String((await call('POST', '/admin/v1/keys/ci/rotate', { overlap })).body['secret']))
    expect(secrets.map(use)).toEqual(['invalid_api_key', 'invalid_api_key', 'invalid_api_key', 'ci'])
  })

  test('is refused for a key from the file and for a revoked key', async () => {
    const { call } = await openAdmin({ bootstrap: [fromFile] })
    await expect(call('POST', '/admin/v1/keys/from-file/rotate', {})).rejects.toMatchObject({
      failure: { code: 'key_in_file' },
    })
    const { body } = await call('POST', '/admin/v1/keys', { name: 'ci' })
    await call('DELETE', '/admin/v1/keys/ci')
    await expect(call('POST', `/admin/v1/keys/${body['id']}/rotate`, {})).rejects.toThrow('cannot be undone')
  })
})

test('the last use of a key is stored and known after a restart', async () => {
  const folder = makeTemporaryFolder()
  const { call, use, keys } = await openAdmin({ folder })
  const { body } = await call('POST', '/admin/v1/keys', { name: 'ci' })
  use(String(body['secret']))
  await keys.saveUses()
  await keys.close()
  const after = await openAdmin({ folder })
  expect((await after.call('GET', '/admin/v1/keys/ci')).body).toMatchObject({
    last_used_at: '2026-11-20T12:00:00.000Z',
  })
})

describe('changing a key', () => {
  test('disabling, enabling and revoking take effect on the very next request', async () => {
    const { call, use } = await openAdmin()
    const { body } = await call('POST', '/admin/v1/keys', { name: 'ci/main' })
    const secret = String(body['secret'])
    expect(use(secret)).toBe('ci/main')
    const path = `/admin/v1/keys/${encodeURIComponent('ci/main')}`
    expect((await call('PATCH', path, { disabled: true })).body).toMatchObject({ status: 'disabled' })
    expect(use(secret)).toBe('invalid_api_key')
    expect((await call('PATCH', path, { disabled: false })).body).toMatchObject({ status: 'active' })
    expect(use(secret)).toBe('ci/main')
    expect((await call('DELETE', path)).body).toMatchObject({ status: 'revoked' })
    expect(use(secret)).toBe('invalid_api_key')
  })

  test('a revoked key is not found by name, is found by id, and stays revoked', async () => {
    const { call, clock } = await openAdmin()
    const { body } = await call('POST', '/admin/v1/keys', { name: 'ci' })
    await call('DELETE', '/admin/v1/keys/ci')
    clock.advance(1_000)
    const byId = `/admin/v1/keys/${body['id']}`
    const revoked = { status: 'revoked', revoked_at: '2026-11-20T12:00:00.000Z' }
    expect((await call('DELETE', byId)).body).toMatchObject(revoked)
    await expect(call('GET', '/admin/v1/keys/ci')).rejects.toMatchObject({
      failure: { code: 'key_not_found' },
    })
    await expect(call('PATCH', byId, { disabled: false })).rejects.toThrow(
      'is revoked, which cannot be undone',
    )
    expect((await call('GET', '/admin/v1/keys')).body).toEqual({ data: [], next_after: null })
    const all = (await call('GET', '/admin/v1/keys?include_revoked=true')).body
    expect(all).toMatchObject({ data: [revoked] })
  })

  test('concurrent changes leave the stored state, and a revoked key stays revoked', async () => {
    const { call, use, keys } = await openAdmin()
    const { body } = await call('POST', '/admin/v1/keys', { name: 'ci' })
    await Promise.allSettled([
      call('PATCH', '/admin/v1/keys/ci', { disabled: true }),
      call('DELETE', '/admin/v1/keys/ci'),
      call('PATCH', '/admin/v1/keys/ci', { disabled: false }),
    ])
    expect(await keys.operations.get(String(body['id']))).toMatchObject({ status: 'revoked' })
    expect(use(String(body['secret']))).toBe('invalid_api_key')
  })

  test('a key that has expired is shown as expired', async () => {
    const { call, clock } = await openAdmin()
    await call('POST', '/admin/v1/keys', { name: 'ci', expires_at: '2026-11-20T12:00:01Z' })
    clock.advance(1_000)
    expect((await call('GET', '/admin/v1/keys/ci')).body).toMatchObject({ status: 'expired' })
  })

  test('fails when the store is unavailable, but a revocation still takes effect until a restart', async () => {
    const { call, use, keys } = await openAdmin()
    const { body } = await call('POST', '/admin/v1/keys', { name: 'ci' })
    await keys.close()
    const refused = { failure: { code: 'store_unavailable' } }
    await expect(call('DELETE', '/admin/v1/keys/ci')).rejects.toMatchObject(refused)
    await expect(call('POST', '/admin/v1/keys', { name: 'b' })).rejects.toMatchObject(refused)
    expect(use(String(body['secret']))).toBe('invalid_api_key')
  })
})

describe('bootstrap keys', () => {
  test('work, are listed, and can be changed only in the file', async () => {
    const { call, use } = await openAdmin({ bootstrap: [fromFile] })
    expect(use(fromFile.secret)).toBe('from-file')
    const view = (await call('GET', '/admin/v1/keys/from-file')).body
    expect(view).toMatchObject({ origin: 'bootstrap', hint: '', models: ['*'] })
    const refused = { failure: { code: 'key_in_file' } }
    await expect(call('DELETE', '/admin/v1/keys/from-file')).rejects.toMatchObject(refused)
    await expect(call('PATCH', '/admin/v1/keys/from-file', { disabled: true })).rejects.toMatchObject(refused)
  })

  test('are removed when the file no longer names them', async () => {
    const folder = makeTemporaryFolder()
    const before = await openAdmin({ folder, bootstrap: [fromFile] })
    await before.keys.close()
    const after = await openAdmin({ folder, bootstrap: [] })
    expect(after.use(fromFile.secret)).toBe('invalid_api_key')
  })
})

describe('the first start', () => {
  const nowhere = { write: () => undefined, remove: () => undefined }

  test('hands over the secret before the key is active, so no key is active with an unknown secret', async () => {
    const { keys, use } = await openAdmin()
    const handed: string[] = []
    const made = await makeFirstKey(keys.operations, {
      write: (secret) => handed.push(secret, use(secret)),
      remove: () => undefined,
    })
    expect(handed).toEqual([made?.secret, 'invalid_api_key'])
  })

  test('makes no key if the secret cannot be handed over, and the next start makes one', async () => {
    const { keys } = await openAdmin()
    const refused = makeFirstKey(keys.operations, {
      ...nowhere,
      write() {
        throw new Error('the disk is full')
      },
    })
    await expect(refused).rejects.toThrow('the disk is full')
    expect(await keys.operations.list({ include_revoked: 'true' })).toEqual({ data: [], next_after: null })
    expect(await makeFirstKey(keys.operations, nowhere)).toMatchObject({ name: 'default' })
  })

  test('makes one key for all models, and only once', async () => {
    const { keys, use } = await openAdmin()
    const made = await makeFirstKey(keys.operations, nowhere)
    expect(made).toMatchObject({ name: 'default', models: ['*'] })
    expect(use(made?.secret ?? '')).toBe('default')
    await keys.operations.revoke('default')
    expect(await makeFirstKey(keys.operations, nowhere)).toBe(undefined)
  })

  test('never makes a second pepper if keys are stored', async () => {
    const { keys, call, folder } = await openAdmin()
    await call('POST', '/admin/v1/keys', { name: 'ci' })
    await keys.close()
    rmSync(join(folder, 'pepper'))
    await expect(openAdmin({ folder })).rejects.toThrow(`${join(folder, 'pepper')} is gone`)
  })

  test('makes no key if the file defines one', async () => {
    const { keys } = await openAdmin({ bootstrap: [fromFile] })
    expect(await makeFirstKey(keys.operations, nowhere)).toBe(undefined)
  })
})

test('the OpenAPI document has every route, every reference resolves, and bodies keep their constraints', async () => {
  const { call, routes } = await openAdmin()
  const { body } = await call('GET', '/admin/v1/openapi.json')
  const text = JSON.stringify(body)
  const references = [...text.matchAll(/"\$ref":"#\/components\/schemas\/(\w+)"/g)].map(([, name]) => name)
  expect(body).toMatchObject({ openapi: '3.1.1', components: { schemas: {} } })
  const document = JSON.parse(text)
  expect(references.filter((name) => document.components.schemas[String(name)] === undefined)).toEqual([])
  expect(references).toContain('CreateKey')
  for (const { method, path } of routes) expect(document.paths[path][method.toLowerCase()]).toBeDefined()
  expect(document.components.schemas.CreateKey).toMatchObject({
    required: ['name'],
    additionalProperties: false,
  })
  expect(Object.keys(document.components.schemas.CreateKey.properties).sort()).toEqual([
    'allow_ips',
    'budgets',
    'caller_tags',
    'dry_run',
    'end_user_budget',
    'expires_at',
    'group',
    'models',
    'name',
    'passthrough',
    'rate',
    'tags',
    'user',
  ])
  expect(document.components.schemas.Key.properties).not.toHaveProperty('secret')
})

describe('changes while the store cannot be written', () => {
  const isFull = () =>
    Promise.reject(
      new GatewayError('store_unavailable', {}, { cause: new Error('database or disk is full') }),
    )

  /** Over a real store, of which the writes can be made to fail. */
  async function openFailing() {
    const clock = createFakeClock()
    const { store, close } = await openKeyStore(makeTemporaryFolder())
    onTestFinished(() => close())
    const disk = { isFull: false }
    const failing: KeyStore = {
      ...store,
      change: (...change) => (disk.isFull ? isFull() : store.change(...change)),
      revoke: (...change) => (disk.isFull ? isFull() : store.revoke(...change)),
    }
    const pepper = createSecretKey(Buffer.alloc(32, 1))
    const registry = createKeyRegistry({ keys: [], pepper, clock })
    const maker = { clock, random: systemRandom, pepper }
    const actor = { author: 'test', credential: 'session', address: '' }
    const previewChange = async () => ({ effects: [], more_effects: 0 })
    const operations = createKeyOperations({ store: failing, registry, maker, actor, previewChange })
    const { secret } = await operations.create({ name: 'ci' })
    const isLetIn = () => {
      try {
        registry.authenticate({ headers: { 'x-api-key': secret }, queryKey: undefined, address: '::1' })
        return true
      } catch {
        return false
      }
    }
    return { clock, store, disk, operations, isLetIn }
  }

  test.each([
    ['disabled', (operations: KeyOperations) => operations.change('ci', { disabled: true })],
    ['revoked', (operations: KeyOperations) => operations.revoke('ci')],
  ])(
    'a key that is %s is refused at once, the error says that the change is not stored, and storing is retried',
    async (status, change) => {
      const { clock, store, disk, operations, isLetIn } = await openFailing()
      disk.isFull = true
      const error = await change(operations).catch((thrown: unknown) => thrown)
      expect(error).toMatchObject({
        message: expect.stringContaining(
          `Key "ci" is ${status} from now on, but the store cannot be written`,
        ),
        failure: { code: 'store_unavailable' },
      })
      expect(isLetIn()).toBe(false)
      const { data } = await operations.list({ include_revoked: 'true' })
      expect(data.map((key) => key.status)).toEqual([status])
      const isStored = async () => {
        const [key] = await store.list()
        return key?.disabled === true || key?.revokedAtMs !== undefined
      }
      clock.advance(5_000)
      await new Promise(setImmediate)
      expect(await isStored()).toBe(false)
      disk.isFull = false
      clock.advance(5_000)
      await expect.poll(isStored).toBe(true)
      expect(isLetIn()).toBe(false)
    },
  )

  test('a key that is revoked only in memory cannot be enabled', async () => {
    const { disk, operations, isLetIn } = await openFailing()
    disk.isFull = true
    await operations.revoke('ci').catch(() => undefined)
    disk.isFull = false
    const [key] = (await operations.list({ include_revoked: 'true' })).data
    await expect(operations.change(key?.id ?? '', { disabled: false })).rejects.toThrow('cannot be undone')
    expect(isLetIn()).toBe(false)
  })
})
