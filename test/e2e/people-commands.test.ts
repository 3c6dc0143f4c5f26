import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { auditListSchema } from '../../src/admin/audit/audit-contract.ts'
import { registerTokensCommand } from '../../src/cli/people/tokens.ts'
import { registerUsersCommand } from '../../src/cli/people/users.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { launcher } from '../support/program/launcher.ts'
import { startGateway, testAdminToken } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneFolder } from '../support/topology/needs.ts'

const demo = `channels: [{ name: demo, provider: demo }]
groups: { search: { models: ["demo-chat"] } }
`
const password = 'a long enough password'

/** Runs `headgate …` in this process; answers with what it wrote. */
async function run(folder: string, ...argv: readonly string[]) {
  const ran = { out: '', errors: '', exitCode: 0 }
  const program = new Command('headgate').exitOverride()
  const io = {
    write(words: string) {
      ran.out += words
    },
    writeError(words: string) {
      ran.errors += words
    },
    isTerminal: false,
    setExitCode(code: number) {
      ran.exitCode = code
    },
  }
  const context = { dataFolder: () => folder, adminToken: () => testAdminToken, io }
  registerUsersCommand(program, context)
  registerTokensCommand(program, context)
  await program.parseAsync(['node', 'headgate', ...argv])
  return ran
}

async function addUser(url: string, folder: string, name: string, ...more: readonly string[]) {
  const { out } = await run(folder, 'users', 'invite', '--role', 'member', '--name', name, ...more)
  const body = { secret: out.trim(), password }
  expect((await createAskAdmin(url)('POST', '/links/accept', { body })).status).toBe(200)
}

describe('headgate users', () => {
  it('invites, lists, changes, disables and deletes through the running server', async () => {
    await using gateway = await startGateway(demo)
    const { dataFolder: folder, url } = gateway
    await addUser(url, folder, 'anna', '--group', 'search')
    await addUser(url, folder, 'bert')
    expect((await run(folder, 'users', 'list')).out).toMatch(/anna +member +search +active/)
    expect((await run(folder, 'users', 'list', '--group', 'search', '--json')).out).not.toContain('bert')
    await run(folder, 'users', 'edit', 'anna', '--role', 'viewer', '--manages', 'search')
    expect(JSON.parse((await run(folder, 'users', 'show', 'anna')).out)).toMatchObject({
      role: 'viewer',
      groups: [{ group: 'search', manager: true }],
    })
    expect((await run(folder, 'users', 'disable', 'anna')).out).toContain('"anna" is disabled')
    expect((await run(folder, 'users', 'enable', 'anna')).out).toContain('"anna" is active')
    expect((await run(folder, 'users', 'delete', 'anna')).out).toContain('"anna" is deleted')
    const again = await run(folder, 'users', 'show', 'anna')
    expect(again).toMatchObject({ exitCode: 1, errors: expect.stringContaining('There is no user') })
  })

  it('creates and revokes links, and lists and ends sessions', async () => {
    await using gateway = await startGateway(demo)
    const { dataFolder: folder, url } = gateway
    await addUser(url, folder, 'anna')
    const admin = createAskAdmin(url)
    await admin('POST', '/sign-in', { body: { name: 'anna', password } })
    const { data } = JSON.parse((await run(folder, 'users', 'sessions', 'anna', '--json')).out)
    expect(data).toMatchObject([{ user: 'anna' }])
    expect((await run(folder, 'users', 'sessions', '--end', data[0].id)).out).toContain('is over')
    expect((await run(folder, 'users', 'sessions')).errors).toContain('Nobody is signed in')

    const link = JSON.parse((await run(folder, 'users', 'reset', 'anna', '--json')).out)
    expect((await run(folder, 'users', 'links')).out).toContain(link.id)
    await run(folder, 'users', 'unlink', link.id)
    const accepted = await admin('POST', '/links/accept', { body: { secret: link.secret, password } })
    expect(accepted.status).toBe(404)
  })
})

it('headgate tokens creates a token of a service that works until it is revoked', async () => {
  await using gateway = await startGateway(demo)
  const { dataFolder: folder, url } = gateway
  const order = ['--name', 'ci', '--service', 'viewer', '--scope', 'keys:read', '--scope', 'usage:read']
  const { out } = await run(folder, 'tokens', 'create', ...order)
  const ask = createAskAdmin(url, out.trim())
  expect((await ask('GET', '/keys')).status).toBe(200)
  expect((await ask('GET', '/users')).status).toBe(403)
  const { data } = JSON.parse((await run(folder, 'tokens', 'list', '--json')).out)
  await run(folder, 'tokens', 'revoke', data[0].id)
  expect((await ask('GET', '/keys')).status).toBe(401)
})

/** Runs the command as a person does, who types these lines. */
async function type(folder: string, argv: readonly string[], lines: readonly string[]) {
  const command = spawn(process.execPath, [launcher, '--data', folder, 'users', 'accept', ...argv], {
    env: { ...process.env, HEADGATE_ADMIN_TOKEN: testAdminToken },
  })
  command.stdin.end(lines.map((line) => `${line}\n`).join(''))
  const [output, errors] = await Promise.all([text(command.stdout), text(command.stderr)])
  return { output, errors }
}

describe('headgate users accept', () => {
  it('creates the first owner by the file of the data folder, which is then deleted', async () => {
    needsOneFolder('the file is on the node that started first')
    await using gateway = await startGateway(demo)
    const typed = await type(gateway.dataFolder, [], ['olga', password])
    expect(typed.output).toBe('You are "olga" now, with the role owner.\n')
    expect(existsSync(join(gateway.dataFolder, 'first-owner'))).toBe(false)
    const again = await type(gateway.dataFolder, [], ['olaf', password])
    expect(again.errors).toContain('first-owner is not there: there is an owner already')
  })

  it('lets a lost owner in again without a server, by a link of the same folder', async () => {
    needsOneFolder('nodes have their users in PostgreSQL, which a command does not open')
    const folder = makeTemporaryFolder()
    await using first = await startGateway(demo, folder)
    const { dataFolder } = first
    await first[Symbol.asyncDispose]()
    const { out, errors } = await run(dataFolder, 'users', 'link', '--owner')
    expect(errors).toContain('An owner, once, until')
    const typed = await type(dataFolder, [out.trim(), '--name', 'olga'], [password])
    expect(typed.output).toBe('You are "olga" now, with the role owner.\n')

    await using second = await startGateway(demo, folder)
    expect(second.app.firstOwner).toBeUndefined()
    const signedIn = await createAskAdmin(second.url)('POST', '/sign-in', {
      body: { name: 'olga', password },
    })
    expect(signedIn.body).toMatchObject({ name: 'olga', role: 'owner' })
    const audit = auditListSchema.parse((await createAskAdmin(second.url)('GET', '/audit')).body)
    const story = audit.data.map(({ author, credential, address, action }) => [
      ...[author, credential, address, action],
    ])
    expect(story.slice(1, 4)).toEqual([
      ['olga', 'password', '127.0.0.1', 'user.sign_in'],
      ['olga', 'link', 'this machine', 'user.create'],
      ['command line', 'data folder', 'this machine', 'link.create'],
    ])
  })

  it('asks for no name if the link has one', async () => {
    needsOneFolder('the file is on the node that started first')
    await using gateway = await startGateway(demo)
    await type(gateway.dataFolder, [], ['olga', password])
    const invited = await run(gateway.dataFolder, 'users', 'invite', '--role', 'member', '--name', 'mia')
    const typed = await type(gateway.dataFolder, [invited.out.trim()], [password])
    expect(typed.output).toBe('You are "mia" now, with the role member.\n')
  })

  it('reports the problem with a password, and keeps the link', async () => {
    needsOneFolder('the file is on the node that started first')
    await using gateway = await startGateway(demo)
    const short = await type(gateway.dataFolder, [], ['olga', 'short'])
    expect(short.errors).toContain('"password": must have 12 to 256 characters')
    const easy = await type(gateway.dataFolder, [], ['olga', 'olgaolgaolgaolga'])
    expect(easy.errors).toContain('too easy to guess')
    expect(existsSync(join(gateway.dataFolder, 'first-owner'))).toBe(true)
  })
})
