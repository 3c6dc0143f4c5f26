import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { providerRegistry } from '../providers/registry.ts'
import type { Config } from './config.ts'
import { writeConfigWarning } from './config-warning.ts'
import { probeServer } from './discovery/probe-server.ts'
import { type ConfigFlags, loadConfig } from './load-config.ts'
import { readEnvironment } from './source/environment.ts'

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

test('without any settings the demo is served on loopback', async () => {
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

test('provider keys in the environment become channels and replace the demo', async () => {
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

test('a local server that answers becomes a channel', async () => {
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

test('a server that accepts a connection but sends nothing times out', async () => {
  const server = createServer(() => undefined)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  const found = await probeServer(`http://127.0.0.1:${port}/api/version`, 50)
  server.closeAllConnections()
  server.close()
  expect(found).toBe(false)
})

test('headgate.yaml in the working folder is used if no file is named', async () => {
  await write('headgate.yaml', 'channels: [{ name: d, provider: demo }]')
  const config = await load({}, { OPENAI_API_KEY: 'sk-one' })
  expect(config.source).toEqual({ type: 'file', path: 'headgate.yaml' })
  expect(config.channels.map(({ name }) => name)).toEqual(['d'])
})

test('flags override the environment, and the environment overrides the file', async () => {
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
    'a database without a secret that its nodes have in common',
    {},
    { HEADGATE_DATABASE_URL: 'postgres://db/headgate' },
    'HEADGATE_SECRET: is needed with a database_url, the same for every node; make one, such as with "openssl rand -hex 32"',
  ],
  [
    'the address of another database',
    {},
    { HEADGATE_DATABASE_URL: 'mysql://db/headgate', HEADGATE_SECRET: 's'.repeat(16) },
    'HEADGATE_DATABASE_URL: must be an address such as "postgres://user:password@host:5432/database"',
  ],
  [
    'a database whose password has a percent sign that is not escaped',
    {},
    { HEADGATE_DATABASE_URL: 'postgres://user:50%off@db/headgate', HEADGATE_SECRET: 's'.repeat(16) },
    'HEADGATE_DATABASE_URL: has a "%" in its user, password, host or database that begins no escape; write "%25" for a plain "%"',
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
])('invalid settings are refused: %s', async (_what, flags, variables, error) => {
  expect(await errorOf(load(flags, variables))).toBe(`ConfigError: ${error}`)
})

test('white space around a secret is ignored, in the environment as in files', async () => {
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

test('the previous secret may be any text, so that a weak secret can be replaced', async () => {
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
])('with %j the admin listener is %j', async (yaml, admin, warnings) => {
  await write('headgate.yaml', `${yaml}\nchannels: [{ name: d, provider: demo }]`)
  const config = await load({})
  expect(config.admin).toEqual(admin)
  expect(config.warnings.map(writeConfigWarning)).toEqual(warnings)
})

test.each([
  ['admin: { listen: "127.0.0.1:8080" }', undefined, '1:18', '127.0.0.1:8080'],
  ['listen: 127.0.0.1:9\nadmin: { listen: "localhost:9" }', undefined, '2:18', '127.0.0.1:9'],
  ['listen: :9\nadmin: { listen: "127.0.0.1:9" }', undefined, '2:18', '0.0.0.0:9'],
  ['listen: 127.0.0.1:7\nadmin: { listen: "[::1]:9" }', '[::]:9', '2:18', '[::]:9'],
])('with %j and --listen %s two listeners cannot share an address', async (yaml, listen, locate, address) => {
  await write('headgate.yaml', `${yaml}\nchannels: [{ name: d, provider: demo }]`)
  expect(await errorOf(load({ listen }))).toBe(
    `ConfigError: headgate.yaml:${locate}: admin.listen: callers connect there already (${address}); give it another port`,
  )
})

test.each(['listen: 127.0.0.1:0\nadmin: { listen: "127.0.0.1:0" }', 'admin: { listen: "127.0.0.2:8080" }'])(
  'with %j two listeners have separate addresses',
  async (yaml) => {
    await write('headgate.yaml', `${yaml}\nchannels: [{ name: d, provider: demo }]`)
    expect((await load({})).admin.type).toBe('own')
  },
)

test('warnings name the models without a price and what happens to their requests', async () => {
  const models = 'models: { fast: { targets: [a/gpt-4o, b/mine] }, mine: { price: { input: 1, output: 2 } } }'
  const channels = `channels:
  - { name: a, provider: openai, api_key: k, models: [gpt-4o, gpt-unknown] }
  - { name: b, provider: openai, api_key: k, models: [mine] }
  - { name: c, provider: ollama, models: [llama3.2] }
  - { name: d, provider: openai, api_key: k, models: { gpt-4o: my-copy }, prices: { unused: { input: 1, output: 1 } } }`
  await write('headgate.yaml', `${channels}\n${models}\nunpriced: refuse`)
  expect((await load({})).warnings.map(writeConfigWarning)).toEqual([
    'models: no price is known for gpt-4o (d/my-copy), gpt-unknown, so requests for them are refused; give each a "price"',
  ])
})

test('a setting that is probably unintended causes a warning', async () => {
  await write(
    'headgate.yaml',
    `
keys: [{ name: ci, secret: 0123456789abcdef, models: [gpt-4o, gpt-5] }]
channels:
  - { name: plain, provider: openai-compatible, base_url: "http://api.example.com/v1", api_key: k, models: [gpt-4o] }`,
  )
  expect((await load({})).warnings.map(writeConfigWarning)).toEqual([
    'channels: "plain" sends its key unencrypted; use https',
    'keys: "ci" is granted "gpt-5", which no channel serves',
    'models: no price is known for gpt-4o, so what they cost is not counted; give each a "price"',
  ])
  await write('headgate.yaml', 'listen: 127.0.0.1:8080')
  expect((await load({})).warnings.map(writeConfigWarning)).toEqual([
    'channels: there is none, so no model can be served',
  ])
})

test('heartbeats can be turned off, and the loaded configuration is frozen', async () => {
  await write('headgate.yaml', 'heartbeat: off\nchannels: [{ name: d, provider: demo }]')
  const config = await load({})
  expect(config.heartbeat).toBeUndefined()
  expect(Object.isFrozen(config) && Object.isFrozen(config.channels[0]?.timeouts)).toBe(true)
})

test('all problems are listed at once: environment, flags, shapes, channels, models, files and listeners', async () => {
  await write(
    'headgate.yaml',
    `admin: { listen: "127.0.0.1:8080" }
tls: { cert: gone.crt, key: gone.key }
chanels: []
keys: [{ name: ci, secret: "\${NOT_SET}" }]
channels:
  - { provider: openai, api_key: k, models: [m] }
  - { name: a, provider: openai, models: [m], ca_file: gone.pem, pirority: 1 }
  - { name: b, provider: vertex, models: [n], credentials: { project: some-project, service_account_file: gone.json } }
`,
  )
  const error = await errorOf(
    load({}, { HEADGATE_ADMIN_TOKEN: 'short', HEADGATE_DATABASE_URL: 'postgres://db' }),
  )
  expect(error.split('\n').map((line) => line.replace(/:\d+: /, ': ').replace(folder, 'FOLDER'))).toEqual([
    'ConfigError: HEADGATE_DATABASE_URL: must be an address such as "postgres://user:password@host:5432/database"; the name of the database is missing',
    expect.stringMatching(/^HEADGATE_ADMIN_TOKEN: must be 16 or more/),
    expect.stringMatching(/^HEADGATE_SECRET: is needed with a database_url/),
    expect.stringMatching(/^headgate.yaml:1: admin.listen: callers connect there already/),
    expect.stringMatching(/^headgate.yaml:2: tls.cert: there is no file FOLDER/),
    expect.stringMatching(/^headgate.yaml:2: tls.key: there is no file FOLDER/),
    expect.stringMatching(/^headgate.yaml:3: chanels: is not a known name/),
    expect.stringMatching(/^headgate.yaml:4: keys\[0\].secret: the environment variable NOT_SET is not set/),
    'headgate.yaml:6: channels[0].name: is missing',
    expect.stringMatching(/^headgate.yaml:7: channels\[1\].api_key: is missing/),
    expect.stringMatching(/^headgate.yaml:7: channels\[1\].ca_file: there is no file FOLDER/),
    expect.stringMatching(/^headgate.yaml:7: channels\[1\].pirority: is not a known name/),
    expect.stringMatching(
      /^headgate.yaml:8: channels\[2\].credentials.service_account_file: there is no file/,
    ),
  ])
})

test.each<[string, string, ConfigFlags, Record<string, string>, readonly string[]]>([
  [
    'an address of the listener that cannot be read: it may be another than that of the admin API',
    'listen: 8080\nadmin: { listen: "127.0.0.1:8080" }\nlog: { level: loud }',
    {},
    {},
    ['headgate.yaml:1:9: listen', 'headgate.yaml:3:15: log.level'],
  ],
  [
    'a flag that cannot be read, in place of which the file is not judged',
    'listen: 127.0.0.1:8080\nadmin: { listen: "127.0.0.1:8080" }',
    { listen: 'x' },
    {},
    ['--listen'],
  ],
  [
    'keys that cannot be read: there may be one',
    'channels: [{ name: a, provider: openai, models: [m], api_keys: 5 }]',
    {},
    {},
    ['headgate.yaml:1:64: channels[0].api_keys'],
  ],
  [
    'a channel that lacks its name: the models may mean it',
    'channels: [{ provider: demo }]\nmodels: { fast: { targets: [d/demo-chat] } }',
    {},
    {},
    ['headgate.yaml:1:12: channels[0].name'],
  ],
  [
    'a variable in place of a name that is not set',
    `channels: [{ name: "\${NOT_SET}", provider: demo }]\nmodels: { fast: { targets: [d/demo-chat] } }`,
    {},
    {},
    ['headgate.yaml:1:20: channels[0].name'],
  ],
  [
    'keys of AWS that cannot be read: the channel may not need its profile',
    'channels: [{ name: b, provider: bedrock, models: [m], credentials: { region: us-east-1, profile: nope, access_key_id: 5, secret_access_key: k } }]',
    {},
    { AWS_SHARED_CREDENTIALS_FILE: '/nowhere', AWS_CONFIG_FILE: '/nowhere' },
    ['headgate.yaml:1:119: channels[0].credentials.access_key_id'],
  ],
  [
    'a file that is no YAML: the environment is checked all the same',
    'listen: [',
    {},
    { HEADGATE_LISTEN: 'x' },
    ['HEADGATE_LISTEN', 'headgate.yaml:1:10: not valid YAML'],
  ],
  [
    'a file that is not there: the environment is checked all the same',
    '',
    { config: 'gone.yaml' },
    { HEADGATE_ADMIN_TOKEN: 'short' },
    ['HEADGATE_ADMIN_TOKEN', 'gone.yaml: there is no such file'],
  ],
])(
  'a problem hides only the problems that depend on it: %s',
  async (_what, yaml, flags, variables, places) => {
    await write('headgate.yaml', yaml)
    const error = await errorOf(load(flags, variables))
    const lines = error.replace('ConfigError: ', '').split('\n')
    expect(lines.map((line, index) => line.slice(0, places[index]?.length))).toEqual(places)
  },
)

test('without a file, all invalid addresses in the environment are listed at once', async () => {
  const keys = { OPENAI_API_KEY: 'sk-one', ANTHROPIC_API_KEY: 'sk-two', HEADGATE_ADMIN_TOKEN: 'short' }
  const error = await errorOf(
    load({}, { ...keys, OPENAI_BASE_URL: 'nowhere', ANTHROPIC_BASE_URL: 'ftp://x' }),
  )
  const [first, ...others] = error.split('\n')
  expect([first, ...others.sort()]).toEqual([
    expect.stringMatching(/^ConfigError: HEADGATE_ADMIN_TOKEN: /),
    expect.stringMatching(/^ANTHROPIC_BASE_URL: /),
    expect.stringMatching(/^OPENAI_BASE_URL: /),
  ])
})
