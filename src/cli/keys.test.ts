import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createAdminRequest } from '../../test/support/create-admin-request.ts'
import { makeTemporaryFolder } from '../../test/support/temporary-folder.ts'
import { createAdminRoutes } from '../admin/admin-routes.ts'
import { createAdminTokenCheck } from '../admin/check-admin-token.ts'
import { type OpenKeys, openDataFolder } from '../app/open-data-folder.ts'
import { errorRow } from '../canonical/error-table.ts'
import { GatewayError } from '../canonical/failure.ts'
import { systemRandom } from '../kit/random/random.ts'
import { systemClock } from '../kit/time/clock.ts'
import { registerKeysCommand } from './keys.ts'
import { describeOffline } from './open-existing-folder.ts'

interface Ran {
  readonly out: string
  readonly error: string
  readonly code: number
}

/** Runs `headgate keys …` in this process. */
async function run(folder: string, argv: readonly string[], adminToken?: string): Promise<Ran> {
  const ran = { out: '', error: '', code: 0 }
  const say = (text: string): void => {
    ran.error += text
  }
  const program = new Command('headgate').exitOverride().configureOutput({ writeErr: say, writeOut: say })
  registerKeysCommand(program, {
    dataFolder: () => folder,
    adminToken: () => adminToken,
    io: {
      write: (text) => {
        ran.out += text
      },
      writeError: say,
      isTerminal: false,
      setExitCode: (code) => {
        ran.code = code
      },
    },
  })
  await program.parseAsync(['node', 'headgate', 'keys', ...argv]).catch(() => {
    ran.code = 1
  })
  // Said beside everything else where no server runs; `test/e2e/cli-folders.test.ts` looks for it.
  return { ...ran, error: ran.error.replace(describeOffline(folder), '') }
}

/** A server with the admin API on real HTTP, that names itself in the data folder as the gateway does. */
async function startServer(folder: string): Promise<OpenKeys> {
  const data = openDataFolder(folder, { clock: systemClock, random: systemRandom })
  const keys = await data.openKeys([])
  onTestFinished(() => keys.close())
  const handle = createHandler(keys, data.secrets.adminToken())
  const prove = (target: string) =>
    data.server.prove(new URL(target, 'http://a').searchParams.get('nonce') ?? '')
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const target = request.url ?? ''
    const answer = target.startsWith('/admin/v1/proof?')
      ? { status: 200, body: { proof: prove(target) } }
      : await handle(request.method ?? '', target, { ...request.headers, body })
    response.writeHead(answer.status, { 'content-type': 'application/json' }).end(JSON.stringify(answer.body))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const url = `http://127.0.0.1:${portOf(server.address())}`
  data.server.write({ pid: process.pid, url, adminUrl: url })
  return keys
}

interface HandledParts {
  readonly authorization?: string | undefined
  readonly body: string
}

function createHandler(keys: OpenKeys, token: string) {
  const routes = createAdminRoutes({ keys: keys.operations, version: '0.0.0' })
  const check = createAdminTokenCheck(token)
  return async (method: string, target: string, { authorization, body }: HandledParts) => {
    const url = new URL(target, 'http://localhost')
    try {
      check(authorization)
      const [, id, action = ''] = /^\/admin\/v1\/keys\/([^/]+)(\/rotate)?$/.exec(url.pathname) ?? []
      const path = id === undefined ? url.pathname : `/admin/v1/keys/{id}${action}`
      const route = routes.find((row) => row.method === method && row.path === path)
      if (route === undefined) throw new GatewayError('path_not_found')
      const request = createAdminRequest({
        params: id === undefined ? {} : { id: decodeURIComponent(id) },
        query: Object.fromEntries(url.searchParams),
        body: body === '' ? undefined : JSON.parse(body),
      })
      return await route.handler(request)
    } catch (error) {
      if (!(error instanceof GatewayError)) throw error
      const { code, message, param = null } = error.failure
      return { status: errorRow(code).status, body: { error: { message, type: 'error', param, code } } }
    }
  }
}

function portOf(address: AddressInfo | string | null): number {
  return typeof address === 'object' && address !== null ? address.port : 0
}

/** Makes the folder as a server that has ended leaves it. */
async function makeData(folder: string): Promise<void> {
  const keys = await openDataFolder(folder, { clock: systemClock, random: systemRandom }).openKeys([])
  await keys.close()
}

async function makeEndedFolder(): Promise<string> {
  const folder = makeTemporaryFolder()
  await makeData(folder)
  return folder
}

/** A port on which nobody listens. */
async function freePort(): Promise<number> {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server.address())
  server.close()
  await once(server, 'close')
  return port
}

const places: readonly [string, (folder: string) => Promise<unknown>][] = [
  ['a running server', startServer],
  ['the data folder alone', makeData],
  [
    'a data folder with the file of a killed server',
    async (folder) => {
      await makeData(folder)
      const { server } = openDataFolder(folder, { clock: systemClock, random: systemRandom })
      const url = `http://127.0.0.1:${await freePort()}`
      server.write({ pid: 999_999_999, url, adminUrl: url })
    },
  ],
]

describe.each(places)('on %s', (_place, prepare) => {
  test('a key is created, listed, shown, disabled, enabled and revoked', async () => {
    const folder = makeTemporaryFolder()
    await prepare(folder)
    const options = ['--models', 'a, b*', '--user', 'alice', '--allow-ip', '10.0.0.0/8', '--allow-ip', '::1']
    const made = await run(folder, ['create', '--name', 'ci', ...options, '--expires', '2099-01-01'])
    expect(made).toEqual({
      out: expect.stringMatching(/^sk-hg-[\w-]{49}\n$/),
      error: expect.stringMatching(
        /^Created key "ci" \(key_[0-9a-f]{24}\)\. Its secret is shown only now:\n$/,
      ),
      code: 0,
    })
    const listed = await run(folder, ['list', '--json'])
    const [key] = JSON.parse(listed.out).data
    expect(key).toMatchObject({
      name: 'ci',
      hint: made.out.slice(0, 10),
      models: ['a', 'b*'],
      user: 'alice',
      allow_ips: ['10.0.0.0/8', '::1'],
      expires_at: '2099-01-01T00:00:00.000Z',
      status: 'active',
    })
    expect(key).toMatchObject(JSON.parse((await run(folder, ['show', 'ci'])).out))
    const changed = (status: string) => ({
      out: `The key "ci" (${key.id}) is ${status}.\n`,
      error: '',
      code: 0,
    })
    expect(await run(folder, ['disable', 'ci'])).toEqual(changed('disabled'))
    expect(await run(folder, ['enable', key.id])).toEqual(changed('active'))
    expect(await run(folder, ['revoke', 'ci'])).toEqual(changed('revoked'))
    expect(await run(folder, ['list', '--json'])).toMatchObject({
      out: '{\n  "data": [],\n  "next_after": null\n}\n',
    })
    expect((await run(folder, ['list', '--all'])).out).toContain(key.id)
  })

  test('a key is edited, and rotated with an overlap', async () => {
    const folder = makeTemporaryFolder()
    await prepare(folder)
    const made = await run(folder, [
      'create',
      '--name',
      'ci',
      '--rpm',
      '60',
      '--tag',
      'team=search',
      '--budget',
      '5/day',
    ])
    const options = [
      '--tpm',
      '1000',
      '--tag',
      'stage=test',
      '--budget',
      'unlimited/rolling 5h',
      '--expires',
      '30d',
    ]
    const edited = await run(folder, ['edit', 'ci', '--name', 'build', ...options, '--caller-tags'])
    expect(edited).toEqual({
      out: expect.stringMatching(/^The key "build" \(key_[0-9a-f]{24}\) is changed\.\n$/),
      error: '',
      code: 0,
    })
    const [key] = JSON.parse((await run(folder, ['list', '--json'])).out).data
    expect(key).toMatchObject({
      rate: { rpm: 60, tpm: 1_000 },
      tags: { team: 'search', stage: 'test' },
      budgets: [{ limit_usd: 'unlimited', window: 'rolling 5h' }],
      caller_tags: true,
    })
    const reset = [
      '--no-caller-tags',
      '--expires',
      'never',
      '--set',
      'rate.rpm=null',
      '--set',
      'tags.team=null',
    ]
    await run(folder, ['edit', 'build', ...reset])
    const [after] = JSON.parse((await run(folder, ['list', '--json'])).out).data
    expect(after).toMatchObject({ caller_tags: false, expires_at: null })
    expect(after.rate).toEqual({ tpm: 1_000 })
    expect(after.tags).toEqual({ stage: 'test' })
    const rotated = await run(folder, ['rotate', 'build', '--overlap', '1h'])
    expect(rotated).toEqual({
      out: expect.stringMatching(/^sk-hg-[\w-]{49}\n$/),
      error: expect.stringMatching(/^Rotated key "build" .*\nThe one before works until 20.*Z\.\n$/),
      code: 0,
    })
    expect(rotated.out).not.toBe(made.out)
    expect((await run(folder, ['rotate', 'build', '--overlap', '0s'])).error).toContain('no longer works')
  })

  test('an impossible change is reported on one line with exit code 1', async () => {
    const folder = makeTemporaryFolder()
    await prepare(folder)
    const failed = (line: string) => ({ out: '', error: `headgate: ${line}\n`, code: 1 })
    expect(await run(folder, ['revoke', 'nobody'])).toEqual(
      failed(
        'There is no key with this id or name. "headgate keys list" and GET /admin/v1/keys list the keys.',
      ),
    )
    await run(folder, ['create', '--name', 'ci'])
    expect(await run(folder, ['create', '--name', 'ci'])).toEqual(
      failed('There is a key named "ci" already. Choose another name, or revoke that key first.'),
    )
    const wrongAddress = await run(folder, ['create', '--name', 'b', '--allow-ip', 'home'])
    expect(wrongAddress).toMatchObject({ out: '', code: 1 })
    expect(wrongAddress.error).toMatch(/^headgate: "allow_ips.0": must be an address or a range.*\n$/)
  })
})

test('a key revoked by the command fails on the next request to the running server', async () => {
  const folder = makeTemporaryFolder()
  const { registry } = await startServer(folder)
  const { out } = await run(folder, ['create', '--name', 'ci'])
  const source = { headers: { authorization: `Bearer ${out.trim()}` }, queryKey: undefined, address: '::1' }
  expect(registry.authenticate(source).keyName).toBe('ci')
  await run(folder, ['revoke', 'ci'])
  expect(() => registry.authenticate(source)).toThrow(GatewayError)
})

test('a wrong admin token is reported on one line', async () => {
  const folder = makeTemporaryFolder()
  await startServer(folder)
  expect(await run(folder, ['list'], 'not-the-token')).toEqual({
    out: '',
    error:
      'headgate: the running server refuses the admin token; set HEADGATE_ADMIN_TOKEN to its own [admin_token_refused]\n',
    code: 1,
  })
})

test('an error names the database file if a process holds it but does not answer', async () => {
  const folder = makeTemporaryFolder()
  const keys = await openDataFolder(folder, { clock: systemClock, random: systemRandom }).openKeys([])
  onTestFinished(() => keys.close())
  const { error, code } = await run(folder, ['list'])
  expect(error).toBe(
    `headgate: ${join(folder, 'headgate.db')} is in use by another Headgate process; a data folder belongs to one process at a time, so choose another with --data [data_folder_in_use]\n`,
  )
  expect(code).toBe(1)
})

test('the list is a table for people, and an empty list says how to make a key', async () => {
  const folder = await makeEndedFolder()
  expect((await run(folder, ['list'])).error).toContain('headgate keys create --name')
  await run(folder, ['create', '--name', 'a long name of a key'])
  await run(folder, ['create', '--name', 'b', '--models', 'x'])
  const [title = '', first = '', second = ''] = (await run(folder, ['list'])).out.split('\n')
  expect(title).toMatch(
    /^NAME {18}ID {28}SECRET {7}STATUS {2}MODELS {2}GROUP {2}ADDRESSES {2}LAST USED {2}COST THIS MONTH {2}EXPIRES {2}ORIGIN$/,
  )
  expect(first).toMatch(/^a long name of a key {2}key_[0-9a-f]{24} {2}sk-hg-.{4}… {2}active {2}\* {7}- /)
  expect(second.indexOf('key_')).toBe(title.indexOf('ID'))
})

test('an invalid date and a missing name are refused before any file is opened', async () => {
  const folder = join(makeTemporaryFolder(), 'data')
  expect((await run(folder, ['create', '--name', 'a', '--expires', 'soon'])).error).toContain('2027-01-01')
  expect(await run(folder, ['create'])).toMatchObject({ code: 1 })
  expect(() => readFileSync(join(folder, 'headgate.db'))).toThrow('ENOENT')
})

test('a missing pepper is not created again if keys are stored', async () => {
  const folder = await makeEndedFolder()
  await run(folder, ['create', '--name', 'ci'])
  rmSync(join(folder, 'pepper'))
  const { error, code } = await run(folder, ['list'])
  expect(error).toContain(`${join(folder, 'pepper')} is gone; restore it from a copy`)
  expect(code).toBe(1)
})
