import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listWarnings } from '../../src/admin/config/list-warnings.ts'
import { ask } from '../support/ask.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { sampleStreams, streamRequest } from '../support/sample-streams.ts'
import { openScriptedUpstream, sseAnswer } from '../support/scripted-upstream.ts'
import { startGateway, testAdminToken, testKey } from '../support/start-gateway.ts'
import { startProcess } from '../support/start-process.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'
const mayReach = 'admin: { allow_private: true }\n'
const secrets = {
  key: 'sk-kept-canary-0123456789wxyz',
  second: 'sk-kept-canary-second-5678',
  header: 'header-canary-secret-4242',
  proxy: 'proxy-canary-password-77',
}

function channelTo(origin: string) {
  return {
    name: 'made',
    provider: 'openai-compatible',
    base_url: `${origin}/v1`,
    api_keys: [secrets.key, secrets.second],
    headers: { 'x-auth-token': secrets.header },
    models: ['m'],
    allow_private: true,
  }
}

it('the newest version is in force after a restart, with its secrets decrypted', async () => {
  await using upstream = await openScriptedUpstream(sseAnswer([sampleStreams.chat.bytes]))
  const folder = makeTemporaryFolder()
  {
    await using gateway = await startGateway(mayReach + demo, folder)
    const admin = createAskAdmin(gateway.url)
    expect((await admin('POST', '/channels', { body: channelTo(upstream.origin) })).status).toBe(201)
    expect((await admin('PUT', '/models/alias', { body: { targets: ['made/m'] } })).status).toBe(201)
  }
  await using again = await startGateway(mayReach + demo, folder)
  expect((await createAskAdmin(again.url)('GET', '/config')).body).toMatchObject({ version: 2, serving: 2 })
  await ask({ url: again.url, format: 'chat' }, streamRequest('alias'))
  expect(upstream.requests[0]?.headers).toMatchObject({
    authorization: `Bearer ${secrets.key}`,
    'x-auth-token': secrets.header,
  })
})

it('an unusable version at startup is reported in one line, and the last good one serves', async () => {
  const folder = makeTemporaryFolder()
  const file = (name: string) => `channels: [{ name: ${name}, provider: demo }]\n`
  {
    await using gateway = await startGateway(file('one'), folder)
    const admin = createAskAdmin(gateway.url)
    await admin('PUT', '/config', { body: { document: { retry: { attempts: 7 } } } })
    await admin('PUT', '/models/alias', { body: { targets: ['one/demo-chat'] } })
  }
  await using again = await startGateway(file('two'), folder)
  expect(listWarnings(again.app.configuration())).toEqual([
    'version 2 of what the admin API keeps cannot be used, so version 1 serves: models.alias.targets[0]: there is no channel "one"; a target is written channel/model',
  ])
  const admin = createAskAdmin(again.url)
  expect((await admin('GET', '/config')).body).toMatchObject({
    version: 2,
    serving: 1,
    effective: { settings: { retry: { value: { attempts: 7 } } } },
    problems: [{ path: 'models.alias.targets[0]', owner: 'api' }],
  })
  expect((await admin('GET', '/config/versions')).body).toMatchObject({
    data: [
      { version: 2, status: 'not_usable' },
      { version: 1, status: 'serving' },
    ],
  })
  expect((await ask({ url: again.url, format: 'chat' }, streamRequest('demo-chat'))).status).toBe(200)
  expect((await admin('POST', '/config/undo')).body).toMatchObject({ version: 3, serving: 3, problems: [] })
})

it('no secret from the API appears in an answer, a file or the log', async () => {
  await using upstream = await openScriptedUpstream(({ headers }) => ({
    status: 401,
    headers: { 'content-type': 'application/json' },
    chunks: [JSON.stringify({ error: { message: `Incorrect API key: ${headers.authorization}` } })],
  }))
  const file = `${mayReach}keys: [{ name: k, secret: ${testKey} }]\n${demo}`
  await using gateway = await startProcess(
    file,
    {},
    { environment: { HEADGATE_ADMIN_TOKEN: testAdminToken } },
  )
  const admin = createAskAdmin(gateway.url)
  const said: string[] = []
  const say = async (method: string, path: string, body?: unknown) => {
    said.push((await admin(method, path, body === undefined ? {} : { body })).text)
  }
  const proxied = {
    ...channelTo(upstream.origin),
    name: 'proxied',
    proxy: `http://user:${secrets.proxy}@127.0.0.1:9`,
  }
  await say('POST', '/channels', channelTo(upstream.origin))
  await say('POST', '/channels', proxied)
  await say('PATCH', '/channels/made', { weight: -1 })
  await say('PATCH', '/channels/made', { base_url: 'https://elsewhere.example' })
  await say('PATCH', '/channels/made', { api_keys: [secrets.key, `${secrets.second}x`] })
  await say('PATCH', '/channels/proxied', { proxy: `http://user:${secrets.proxy}x@127.0.0.1:9` })
  await say('POST', '/config/check', { document: { channels: [proxied] } })
  await say('POST', '/config/undo')
  for (const path of [
    '',
    '/versions',
    '/versions/1',
    '/versions/2',
    '/versions/3',
    '/versions/4',
    '/versions/5',
  ]) {
    await say('GET', `/config${path}`)
  }
  await say('GET', '/channels')
  await say('DELETE', '/channels/proxied')
  said.push((await ask({ url: gateway.url, format: 'chat' }, streamRequest('m'))).body.toString())
  said.push(await gateway.reload(file))
  const data = join(gateway.folder, 'data')
  const files = readdirSync(data, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => readFileSync(join(data, name)).toString('latin1'))
  const everything = [...said, ...files, gateway.output(), gateway.errors()].join('\n')
  expect(said.join('\n')).toContain('…wxyz')
  expect(upstream.requests.length).toBeGreaterThan(0)
  for (const secret of Object.values(secrets)) {
    const bytes = Buffer.from(secret)
    for (const form of [secret, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('hex')]) {
      expect(everything.includes(form)).toBe(false)
    }
  }
})

it('changes take effect in order even if the server file cannot be written', async () => {
  await using gateway = await startGateway(demo)
  // In the place where the file is made before it takes its name.
  mkdirSync(join(gateway.dataFolder, `server.json.${process.pid}.new`))
  const admin = createAskAdmin(gateway.url)
  for (const attempts of [5, 6]) {
    const { status } = await admin('PUT', '/config', { body: { document: { retry: { attempts } } } })
    expect(status).toBe(200)
  }
  expect((await admin('GET', '/config')).body).toMatchObject({ version: 2, serving: 2 })
})
