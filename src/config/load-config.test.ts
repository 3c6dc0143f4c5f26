import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { providerRegistry } from '../providers/registry.ts'
import type { Config } from './config.ts'
import { readEnvironment } from './environment.ts'
import { type ConfigFlags, loadConfig } from './load-config.ts'
import { probeServer } from './probe-server.ts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'headgate-config-'))
})
afterEach(() => rm(folder, { recursive: true }))

// A port that nothing listens on, so that a server on the machine of the test is not found.
const nowhere = { OLLAMA_HOST: '127.0.0.1:1' }

function load(flags: ConfigFlags, variables: Record<string, string> = {}): Promise<Config> {
  return loadConfig({
    flags,
    environment: readEnvironment({ ...nowhere, ...variables }),
    workingFolder: folder,
    registry: providerRegistry,
    probe: probeServer,
  })
}

function write(name: string, text: string): Promise<void> {
  return writeFile(join(folder, name), text)
}

async function errorOf(loading: Promise<Config>): Promise<string> {
  return loading.then(
    () => 'no error',
    (error: unknown) => String(error),
  )
}

test('with nothing given the demo is served on loopback', async () => {
  const config = await load({})
  expect(config).toMatchObject({
    source: { type: 'discovered' },
    listen: { host: '127.0.0.1', port: 8080 },
    dataFolder: join(folder, 'data'),
    admin: { type: 'shared' },
    publicUrl: undefined,
    trustedProxies: [],
    limits: { bodyBytes: 33_554_432, connections: 10_000 },
    heartbeat: { afterMs: 10_000, everyMs: 10_000 },
    keys: [],
    channels: [{ name: 'demo', provider: 'demo', allowPrivate: true, baseUrl: '' }],
    models: [],
    retry: { attempts: 3, sameTarget: 1, maxRetryAfterMs: 3_000, deadlineMs: 600_000 },
    log: { level: 'info' },
    warnings: [],
  })
  const [demo] = config.channels
  expect(demo?.models.type === 'named' && [...demo.models.upstreamNames.keys()]).toEqual([
    'demo-chat',
    'demo-embed',
  ])
})

test('keys of providers in the environment become channels, and then the demo is not served', async () => {
  const { channels } = await load(
    {},
    { OPENAI_API_KEY: 'sk-one', ANTHROPIC_API_KEY: ' sk-two ', HEADGATE_SECRET: 'secret-0123456789' },
  )
  expect(channels).toMatchObject([
    { name: 'openai', credentials: [{ id: 'openai#1', secret: 'sk-one' }], models: { type: 'listed' } },
    {
      name: 'anthropic',
      format: 'messages',
      credentials: [{ secret: 'sk-two' }],
      models: { type: 'listed' },
    },
  ])
})

test('a server on this machine that answers becomes a channel', async () => {
  const asked: string[] = []
  const server = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.setHeader('content-type', 'application/json; charset=utf-8')
    response.end('{"version":"0.40.12"}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const { channels } = await load({}, { OLLAMA_HOST: `0.0.0.0:${port}` })
  server.close()
  expect(asked).toEqual(['/api/version'])
  expect(channels).toMatchObject([
    {
      name: 'ollama',
      baseUrl: `http://127.0.0.1:${port}/v1`,
      allowPrivate: true,
      models: { type: 'listed' },
    },
  ])
})

test('a server that accepts and says nothing is given up within the time', async () => {
  const server = createServer(() => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const found = await probeServer(`http://127.0.0.1:${port}/api/version`, 50)
  server.closeAllConnections()
  server.close()
  expect(found).toBe(false)
})

test('headgate.yaml in the working folder is used when no file is named', async () => {
  await write('headgate.yaml', 'channels: [{ name: d, provider: demo }]')
  const config = await load({}, { OPENAI_API_KEY: 'sk-one' })
  expect(config.source).toEqual({ type: 'file', path: 'headgate.yaml' })
  expect(config.channels.map(({ name }) => name)).toEqual(['d'])
})

test('flags win over the environment, and the environment over the file', async () => {
  await write('file.yaml', 'listen: 127.0.0.1:1\ndata: from-file\nchannels: [{ name: f, provider: demo }]')
  await write('other.yaml', 'channels: [{ name: o, provider: demo }]')
  const variables = { HEADGATE_CONFIG: 'file.yaml' }
  const fromFile = await load({}, variables)
  expect([fromFile.listen.port, fromFile.dataFolder]).toEqual([1, join(folder, 'from-file')])
  const outer = { ...variables, HEADGATE_LISTEN: '127.0.0.1:2', HEADGATE_DATA: 'from-environment' }
  const fromEnvironment = await load({}, outer)
  expect([fromEnvironment.listen.port, fromEnvironment.dataFolder]).toEqual([
    2,
    join(folder, 'from-environment'),
  ])
  const fromFlags = await load({ config: 'other.yaml', listen: '127.0.0.1:3', data: '/from-flag' }, outer)
  expect([fromFlags.listen.port, fromFlags.dataFolder, fromFlags.channels[0]?.name]).toEqual([
    3,
    '/from-flag',
    'o',
  ])
})

test.each<[string, ConfigFlags, Record<string, string>, string]>([
  [
    'a flag that is no address',
    { listen: '8080' },
    {},
    '--listen: must be an address with a port, such as "127.0.0.1:8080", ":8080" or "[::1]:8080"',
  ],
  [
    'a variable that is no address',
    {},
    { HEADGATE_LISTEN: 'x' },
    'HEADGATE_LISTEN: must be an address with a port, such as "127.0.0.1:8080", ":8080" or "[::1]:8080"',
  ],
  [
    'a database',
    {},
    { HEADGATE_DATABASE_URL: 'postgres://db' },
    'HEADGATE_DATABASE_URL: is not available in this version; unset it',
  ],
  [
    'an admin token that could be guessed',
    {},
    { HEADGATE_ADMIN_TOKEN: 'fifteen-letters' },
    'HEADGATE_ADMIN_TOKEN: must be 16 or more printable characters without a space between; make one, such as with "openssl rand -hex 32"',
  ],
  [
    'secrets with a space inside, and of white space alone',
    {},
    { HEADGATE_SECRET: 'four words of a phrase', HEADGATE_ADMIN_TOKEN: ' \n' },
    `HEADGATE_ADMIN_TOKEN: must be 16 or more printable characters without a space between; make one, such as with "openssl rand -hex 32"
HEADGATE_SECRET: must be 16 or more printable characters without a space between; make one, such as with "openssl rand -hex 32"`,
  ],
  ['a file that is not there', { config: 'missing.yaml' }, {}, 'missing.yaml: there is no such file'],
  ['a folder for a file', { config: '.' }, {}, '.: is a folder; name the file in it'],
])('refused: %s', async (_what, flags, variables, error) => {
  expect(await errorOf(load(flags, variables))).toBe(`ConfigError: ${error}`)
})

test('white space around the secrets of the environment is no part of them, as in their files', async () => {
  const config = await load(
    {},
    {
      HEADGATE_ADMIN_TOKEN: 'token-0123456789 ',
      HEADGATE_SECRET: 'secret-0123456789\n',
    },
  )
  expect(config).toMatchObject({
    adminToken: 'token-0123456789',
    secret: 'secret-0123456789',
  })
})

test('the secret of before may be any text, since from a bad one there must be a way to a good one', async () => {
  const variables = { HEADGATE_SECRET: 'secret-0123456789', HEADGATE_SECRET_PREVIOUS: 'short\n' }
  expect(await load({}, variables)).toMatchObject({ previousSecret: 'short\n' })
})

test.each([
  ['listen: 127.0.0.1:8080', { type: 'shared' }, []],
  [
    'listen: :8080\npublic_url: https://models.example.com/',
    { type: 'off' },
    ['admin: the admin API and the metrics are off, since others can reach the listener; give admin.listen'],
  ],
  [
    'listen: :8080',
    { type: 'off' },
    [
      'admin: the admin API and the metrics are off, since others can reach the listener; give admin.listen',
      'listen: keys travel unencrypted unless a proxy in front of this address serves https',
    ],
  ],
  [
    'admin: { listen: "127.0.0.1:8081" }\nlisten: :8080\ntrusted_proxies: [10.0.0.0/8]',
    { type: 'own', listen: { host: '127.0.0.1', port: 8081 } },
    [],
  ],
  ['admin: off', { type: 'off' }, []],
])('with %j the admin side is %j', async (yaml, admin, warnings) => {
  await write('headgate.yaml', `${yaml}\nchannels: [{ name: d, provider: demo }]`)
  const config = await load({})
  expect(config.admin).toEqual(admin)
  expect(config.warnings).toEqual(warnings)
})

test('what is likely not meant is warned of', async () => {
  await write(
    'headgate.yaml',
    `
keys: [{ name: ci, secret: 0123456789abcdef, models: [gpt-4o, gpt-5] }]
channels:
  - { name: plain, provider: openai-compatible, base_url: "http://api.example.com/v1", api_key: k, models: [gpt-4o] }`,
  )
  expect((await load({})).warnings).toEqual([
    'channels: "plain" sends its key unencrypted; use https',
    'keys: "ci" is granted "gpt-5", which no channel serves',
  ])
  await write('headgate.yaml', 'listen: 127.0.0.1:8080')
  expect((await load({})).warnings).toEqual(['channels: there is none, so no model can be served'])
})

test('heartbeats can be turned off, and nothing of the result can be changed', async () => {
  await write('headgate.yaml', 'heartbeat: off\nchannels: [{ name: d, provider: demo }]')
  const config = await load({})
  expect(config.heartbeat).toBeUndefined()
  expect(Object.isFrozen(config) && Object.isFrozen(config.channels[0]?.timeouts)).toBe(true)
})
