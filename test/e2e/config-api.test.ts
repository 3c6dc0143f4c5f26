import { expect, it } from 'vitest'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { channelYaml } from '../support/channel-yaml.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway } from '../support/start-gateway.ts'

const secret = 'sk-upstream-0123456789wxyz'
const demo = 'channels: [{ name: demo, provider: demo }]\n'
const mayReach = 'admin: { allow_private: true }\n'

function channelTo(origin: string, more: object = {}) {
  return {
    name: 'made',
    provider: 'openai-compatible',
    base_url: `${origin}/v1`,
    api_key: secret,
    models: ['m'],
    allow_private: true,
    ...more,
  }
}

it('a new channel serves the next request, with its key, and shows four characters of the key', async () => {
  const { bytes } = sampleStreams.chat
  await using upstream = await openScriptedUpstream(sseAnswer([bytes]))
  await using gateway = await startGateway(mayReach + demo)
  const admin = createAskAdmin(gateway.url)
  const made = await admin('POST', '/channels', { body: channelTo(upstream.origin) })
  expect([made.status, made.etag, made.body]).toEqual([
    201,
    '"1"',
    { ...channelTo(upstream.origin), api_key: '…wxyz', owner: 'api', disabled: false },
  ])
  const answer = await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect(answer.headers['x-headgate-channel']).toBe('made')
  expect(upstream.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  const { body } = await admin('GET', '/config')
  expect(body).toMatchObject({
    version: 1,
    serving: 1,
    document: { channels: [{ name: 'made', api_key: '…wxyz' }] },
    effective: {
      channels: [
        { name: 'demo', owner: 'file' },
        { name: 'made', owner: 'api' },
      ],
    },
    problems: [],
  })
})

it('the API does not change objects of the file, and the answer says so', async () => {
  await using gateway = await startGateway(
    `${demo}models: { a: { targets: [demo/demo-chat] } }\nretry: { attempts: 2 }\n`,
  )
  const admin = createAskAdmin(gateway.url)
  const demoChannel = { name: 'demo', provider: 'demo' }
  for (const { status, body } of [
    await admin('POST', '/channels', { body: demoChannel }),
    await admin('PUT', '/channels/demo', { body: demoChannel }),
    await admin('PATCH', '/channels/demo', { body: { weight: 2 } }),
    await admin('DELETE', '/channels/demo'),
    await admin('POST', '/channels/demo/disable'),
    await admin('PUT', '/models/a', { body: { targets: ['demo/demo-chat'] } }),
    await admin('PUT', '/config', { body: { document: { retry: { attempts: 5 } } } }),
  ]) {
    expect([status, body]).toMatchObject([409, { error: { code: 'owned_by_file' } }])
  }
  expect((await admin('GET', '/config')).body).toMatchObject({ version: 0 })
})

it('an invalid change changes nothing and lists its problems, each with its path', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const bad = await admin('POST', '/channels', {
    body: { name: 'a', provider: 'openia', weight: -1, colour: 'red' },
  })
  expect([bad.status, bad.body]).toMatchObject([
    400,
    {
      error: {
        code: 'config_invalid',
        problems: [
          { path: 'weight', owner: 'api', fact: { code: 'not_above', values: { minimum: 0 } } },
          { path: 'colour', owner: 'api', fact: { code: 'unknown_field' } },
        ],
      },
    },
  ])
  const document = {
    listen: '0.0.0.0:1',
    channels: [{ name: 'b', provider: 'openai', api_key: 'sk-good-key' }],
    models: { x: { targets: ['nowhere/y'] } },
  }
  const whole = await admin('PUT', '/config', { body: { document } })
  expect(whole.body).toMatchObject({
    error: {
      problems: [{ path: 'listen', message: expect.stringContaining('belongs to the configuration file') }],
    },
  })
  const { listen: _, ...rest } = document
  expect((await admin('PUT', '/config', { body: { document: rest } })).body).toMatchObject({
    error: {
      param: 'models.x.targets[0]',
      message: expect.stringContaining('there is no channel "nowhere"'),
      problems: [{ fact: { code: 'unknown_name', values: { kind: 'channel', name: 'nowhere' } } }],
    },
  })
  const unreachable = { name: 'c', provider: 'openai', api_key: 'sk-good-key' }
  for (const [more, code] of [
    [{ base_url: 'http://127.0.0.1:1', allow_private: true }, 'private_by_file_only'],
    [{ base_url: 'http://127.0.0.1:1' }, 'private_address'],
    [{ proxy: 'http://proxy:3128' }, 'private_by_file_only'],
  ] as const) {
    const { status, body } = await admin('POST', '/channels', { body: { ...unreachable, ...more } })
    expect([status, body]).toMatchObject([400, { error: { problems: [{ fact: { code } }] } }])
  }
  expect((await admin('GET', '/config')).body).toMatchObject({ version: 0, document: {} })
  expect((await admin('GET', '/config/versions')).body).toEqual({ data: [], next_before: null })
})

it('a stored key survives a change that repeats its masked form, but is not sent to another address', async () => {
  await using upstream = await openScriptedUpstream(sseAnswer([sampleStreams.chat.bytes]))
  await using other = await openScriptedUpstream({})
  await using gateway = await startGateway(mayReach + demo)
  const admin = createAskAdmin(gateway.url)
  const made = await admin('POST', '/channels', {
    body: channelTo(upstream.origin, {
      headers: { 'x-team': 'search', 'x-auth-token': 'a-second-secret-5678' },
    }),
  })
  expect(made.body).toMatchObject({ headers: { 'x-team': 'search', 'x-auth-token': '…5678' } })
  expect((await admin('PUT', '/channels/made', { body: made.body })).etag).toBe('"1"')
  expect((await admin('PATCH', '/channels/made', { body: { weight: 2 } })).status).toBe(200)
  const moved = await admin('PATCH', '/channels/made', { body: { base_url: `${other.origin}/v1` } })
  expect([moved.status, moved.body]).toMatchObject([
    400,
    {
      error: {
        problems: [
          { path: 'api_key', fact: { code: 'stored_secret_not_sent' } },
          { path: 'headers.x-auth-token', fact: { code: 'stored_secret_not_sent' } },
        ],
      },
    },
  ])
  const elsewhere = { base_url: `${other.origin}/v1`, api_key: 'sk-for-the-other', headers: null }
  expect((await admin('PATCH', '/channels/made', { body: elsewhere })).status).toBe(200)
  const back = await admin('PATCH', '/channels/made', { body: { base_url: `${upstream.origin}/v1` } })
  expect(back.status).toBe(400)
  const copied = await admin('POST', '/channels', {
    body: channelTo(other.origin, { name: 'copy', api_key: '…ther' }),
  })
  expect(copied.body).toMatchObject({ error: { problems: [{ path: 'api_key' }] } })
  expect((await admin('POST', '/config/undo')).status).toBe(200)
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  expect(upstream.requests[0]?.headers.authorization).toBe(`Bearer ${secret}`)
  expect(other.requests).toEqual([])
})

it('of two changes to one version the second is refused', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const document = { retry: { attempts: 5 } }
  expect((await admin('PUT', '/config', { body: { document, base_version: 0 } })).status).toBe(200)
  const late = { document: { retry: { attempts: 6 } } }
  for (const answer of [
    await admin('PUT', '/config', { body: { ...late, base_version: 0 } }),
    await admin('PUT', '/config', { body: late, headers: { 'if-match': '"0"' } }),
    await admin('PATCH', '/models/demo-chat', { body: {}, headers: { 'if-match': '0' } }),
  ]) {
    expect([answer.status, answer.body]).toMatchObject([409, { error: { code: 'config_version_conflict' } }])
  }
  expect((await admin('PUT', '/config', { body: late, headers: { 'if-match': '"1"' } })).status).toBe(200)
  expect((await admin('PUT', '/config', { body: late, headers: { 'if-match': 'x' } })).status).toBe(400)
})

it('undo goes back step by step, restore to any version, and each creates a version that says what it changed', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const attemptsNow = async () => {
    const { body } = await admin('GET', '/config')
    return body
  }
  for (const attempts of [4, 5, 6]) {
    await admin('PUT', '/config', { body: { document: { retry: { attempts } }, comment: `to ${attempts}` } })
  }
  const undone = [5, 4]
  for (const attempts of undone) {
    await admin('POST', '/config/undo')
    expect(await attemptsNow()).toMatchObject({ document: { retry: { attempts } } })
  }
  await admin('POST', '/config/undo')
  expect(await attemptsNow()).toMatchObject({ version: 6, document: {} })
  expect((await admin('POST', '/config/undo')).body).toMatchObject({ error: { code: 'nothing_to_undo' } })
  expect((await admin('POST', '/config/versions/3/restore', { body: { comment: 'again' } })).status).toBe(200)
  expect((await admin('POST', '/config/versions/99/restore')).status).toBe(404)
  expect((await admin('GET', '/config/versions?limit=2')).body).toMatchObject({
    data: [
      { version: 7, action: 'restore', restored_from: 3, comment: 'again', status: 'serving' },
      { version: 6, action: 'undo', restored_from: 0, changes: ['setting retry removed'] },
    ],
    next_before: 6,
  })
  expect((await admin('GET', '/config/versions/2')).body).toMatchObject({
    version: 2,
    author: 'admin token',
    address: '127.0.0.1',
    comment: 'to 5',
    status: 'superseded',
    changes: ['setting retry: attempts changed from 4 to 5'],
    document: { retry: { attempts: 5 } },
  })
})

it('a channel and a model are listed and shown with their owner until they are removed', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  await admin('POST', '/models', { body: { name: 'fast', targets: ['demo/demo-chat'] } })
  const fast = { name: 'fast', owner: 'api', targets: ['demo/demo-chat'] }
  expect((await admin('GET', '/models')).body).toMatchObject({ version: 1, data: [fast] })
  expect((await admin('GET', '/models/fast')).body).toEqual(fast)
  expect((await admin('GET', '/channels/demo')).body).toMatchObject({ name: 'demo', owner: 'file' })
  expect((await admin('DELETE', '/models/fast')).body).toMatchObject(fast)
  expect((await admin('GET', '/models/fast')).body).toMatchObject({
    error: { code: 'config_object_not_found' },
  })
  expect((await admin('GET', '/channels/dem')).body).toMatchObject({
    error: { code: 'config_object_not_found' },
  })
})

it('a disabled channel is kept but serves nothing; a model may have slashes in its name', async () => {
  await using upstream = await openScriptedUpstream(sseAnswer([sampleStreams.chat.bytes]))
  await using gateway = await startGateway(mayReach + demo)
  const admin = createAskAdmin(gateway.url)
  await admin('POST', '/channels', { body: channelTo(upstream.origin) })
  const name = 'team/fast model'
  const path = `/models/${encodeURIComponent(name)}`
  expect((await admin('PUT', path, { body: { targets: ['made/m'] } })).body).toEqual({
    name,
    owner: 'api',
    targets: ['made/m'],
  })
  const status = async () => (await ask({ url: gateway.url, format: 'chat' }, streamRequest(name))).status
  expect(await status()).toBe(200)
  expect((await admin('POST', '/channels/made/disable')).body).toMatchObject({ disabled: true })
  expect(await status()).toBe(404)
  const check = await admin('POST', '/config/check', { body: { document: {} } })
  expect(check.body).toMatchObject({ ok: true, models_removed: [] })
  expect((await admin('POST', '/channels/made/enable')).body).toMatchObject({ disabled: false })
  expect(await status()).toBe(200)
  expect((await admin('DELETE', '/channels/made')).body).toMatchObject({
    error: { param: `models["${name}"].targets[0]` },
  })
  expect((await admin('DELETE', path)).body).toMatchObject({ name, owner: 'api' })
  expect((await admin('DELETE', '/channels/made')).status).toBe(200)
  expect((await admin('DELETE', '/channels/made')).status).toBe(404)
  expect(await status()).toBe(404)
})

it('a check reports what would change, and which keys would lose which models, and changes nothing', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  await admin('PUT', '/models/a', { body: { targets: ['demo/demo-chat'] } })
  await admin('POST', '/keys', { body: { name: 'narrow', models: ['a'] } })
  const document = { models: { b: { targets: ['demo/demo-chat'] } } }
  expect((await admin('POST', '/config/check', { body: { document } })).body).toMatchObject({
    ok: true,
    changes: ['model "a" removed', 'model "b" added'],
    models_added: ['b'],
    models_removed: ['a'],
    keys: [
      { name: 'test', loses: ['a'] },
      { name: 'narrow', loses: ['a'] },
    ],
  })
  const bad = { models: { b: { targets: ['demo/none'] } } }
  expect((await admin('POST', '/config/check', { body: { document: bad } })).body).toMatchObject({
    ok: false,
    problems: [{ path: 'models.b.targets[0]', owner: 'api' }],
  })
  expect((await admin('GET', '/config')).body).toMatchObject({ version: 1, document: { models: { a: {} } } })
})

it('settings that the API owns take effect at once', async () => {
  await using upstream = await openScriptedUpstream({ status: 500 })
  const channel = channelYaml({ name: 'bad', format: 'chat', origin: upstream.origin, models: ['m'] })
  await using gateway = await startGateway(channel)
  const admin = createAskAdmin(gateway.url)
  const document = { retry: { attempts: 1 }, limits: { body: '1KB' } }
  expect((await admin('PUT', '/config', { body: { document } })).status).toBe(200)
  expect((await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))).status).toBe(502)
  expect(upstream.requests.length).toBe(1)
  const long = { model: 'm', messages: [{ role: 'user', content: 'a'.repeat(2_000) }] }
  expect((await ask({ url: gateway.url, format: 'chat' }, long)).status).toBe(413)
})

it('every operation requires the token and is in the OpenAPI document', async () => {
  await using gateway = await startGateway(demo)
  const admin = createAskAdmin(gateway.url)
  const operations = [
    ['GET', '/config'],
    ['PUT', '/config'],
    ['POST', '/config/check'],
    ['GET', '/config/versions'],
    ['GET', '/config/versions/{version}'],
    ['POST', '/config/versions/{version}/restore'],
    ['POST', '/config/undo'],
    ...['/channels', '/models'].flatMap((path) => [
      ['GET', path],
      ['POST', path],
      ...['GET', 'PUT', 'PATCH', 'DELETE'].map((method) => [method, `${path}/{name}`]),
    ]),
    ['POST', '/channels/{name}/disable'],
    ['POST', '/channels/{name}/enable'],
  ] as const
  const { text } = await admin('GET', '/openapi.json')
  const { paths }: { paths: Record<string, Record<string, unknown>> } = JSON.parse(text)
  for (const [method = '', path = ''] of operations) {
    expect(paths[`/admin/v1${path}`]?.[method.toLowerCase()]).toBeDefined()
    expect((await admin(method, path, { token: 'wrong' })).status).toBe(401)
  }
})

it('health reports the state of a failing channel', async () => {
  await using upstream = await openScriptedUpstream({ status: 401 })
  await using gateway = await startGateway(mayReach + demo)
  const admin = createAskAdmin(gateway.url)
  expect((await admin('GET', '/health')).body).toMatchObject({ status: 'healthy', data: [] })
  await admin('POST', '/channels', { body: channelTo(upstream.origin) })
  await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))
  // Another process may have served the request, and this one learns of the health.
  const readHealth = async () => (await admin('GET', '/health')).body
  await expect.poll(readHealth, { timeout: 30_000 }).toMatchObject({ status: 'degraded' })
  const { text } = await admin('GET', '/health')
  expect(text).toContain('"reason":"refused"')
  expect(text).toContain('"credential":"made#1"')
})
