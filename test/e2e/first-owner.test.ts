import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { printWelcome } from '../../src/cli/process/print-welcome.ts'
import { readEnvironment } from '../../src/config/source/environment.ts'
import { Browser, codeOf, makeOwner, personPassword } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { type StartedGateway, startGateway } from '../support/start-gateway.ts'
import { makeTemporaryFolder } from '../support/temporary-folder.ts'
import { needsOneFolder } from '../support/topology/needs.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

const fileOf = ({ dataFolder }: StartedGateway) => join(dataFolder, 'first-owner')

function welcome({ app }: StartedGateway, isTerminal: boolean, environment = {}, flags = {}) {
  const shown = { out: '', errors: '' }
  const terminal = {
    print(line: string) {
      shown.out += `${line}\n`
    },
    printError(line: string) {
      shown.errors += `${line}\n`
    },
  }
  printWelcome(app, terminal, { isTerminal, environment, flags })
  return shown
}

async function accept(gateway: StartedGateway, secret: string, name: string): Promise<unknown> {
  const body = { secret, name, password: personPassword }
  const answer = await new Browser(gateway).ask('POST', '/links/accept', body)
  return answer.status === 200 ? 'accepted' : codeOf(answer)
}

describe('the link to the first owner', () => {
  it('is shown on a terminal, on standard output alone, and then in no file', async () => {
    await using gateway = await startGateway(demo)
    const { out, errors } = welcome(gateway, true)
    const [, secret = ''] = /headgate users accept (\S+)$/m.exec(out) ?? []
    expect(errors).not.toContain(secret)
    expect(existsSync(fileOf(gateway))).toBe(false)
    expect(await accept(gateway, secret, 'olga')).toBe('accepted')
  })

  it('is otherwise written to a file that only its owner can read, and to no output', async () => {
    await using gateway = await startGateway(demo)
    const { out, errors } = welcome(gateway, false)
    const secret = readFileSync(fileOf(gateway), 'utf8').trim()
    expect(errors).toContain('there is no owner yet; become one: headgate users accept\n')
    expect(out + errors).not.toContain(secret)
    expect(statSync(fileOf(gateway)).mode & 0o777).toBe(0o600)
    expect(await accept(gateway, secret, 'olga')).toBe('accepted')
    expect(existsSync(fileOf(gateway))).toBe(false)
    expect(await accept(gateway, secret, 'eve')).toBe('link_not_found')
  })

  it('is shown with a command that a clone has, where a script of the clone starts Headgate', async () => {
    await using gateway = await startGateway(demo)
    const environment = readEnvironment({ npm_lifecycle_event: 'start', npm_package_name: 'headgate' })
    expect(welcome(gateway, false, environment).errors).toContain(
      'there is no owner yet; become one: npm run headgate -- users accept\n',
    )
    expect(welcome(gateway, true, environment).out).toMatch(/^ {2}npm run headgate -- users accept \S+$/m)
    const dependency = readEnvironment({ npm_lifecycle_event: 'start', npm_package_name: 'our-gateway' })
    expect(welcome(gateway, true, dependency).out).toMatch(/^ {2}headgate users accept \S+$/m)
  })

  it('is shown with the data folder if the server was started with options that a command needs, too', async () => {
    await using gateway = await startGateway(demo)
    const { dataFolder } = gateway
    for (const flags of [{ config: 'gateway.yaml' }, { data: dataFolder }]) {
      expect(welcome(gateway, false, {}, flags).errors).toContain(
        `become one: headgate users accept --data ${dataFolder}\n`,
      )
    }
    const { out } = welcome(gateway, true, {}, { config: 'gateway.yaml' })
    expect(out).toMatch(/^ {2}headgate users accept \S+ --data \S+$/m)
  })

  it('changes with each start, and only the newest one works, until there is an owner', async () => {
    needsOneFolder('among nodes the first one creates the link, and later starts create no other')
    const folder = makeTemporaryFolder()
    const first = await startGateway(demo, folder)
    const before = first.firstOwnerSecret ?? ''
    await first[Symbol.asyncDispose]()
    const second = await startGateway(demo, folder)
    expect(await accept(second, before, 'eve')).toBe('link_not_found')
    await makeOwner(second)
    await second[Symbol.asyncDispose]()
    await using third = await startGateway(demo, folder)
    expect(third.app.firstOwner).toBeUndefined()
    expect(existsSync(fileOf(third))).toBe(false)
    expect(welcome(third, true).out).not.toContain('owner')
  })

  it('does not work and is not listed once there is an owner by another link', async () => {
    await using gateway = await startGateway(demo)
    const admin = createAskAdmin(gateway.url)
    const { body } = await admin('POST', '/users/invite-owner', { body: {} })
    const { secret } = body as { readonly secret: string }
    expect(await accept(gateway, secret, 'olga')).toBe('accepted')
    expect(await accept(gateway, gateway.firstOwnerSecret ?? 'none', 'eve')).toBe('link_not_found')
    expect((await admin('GET', '/links')).body).toEqual({ data: [] })
  })

  it('expires after a day, and a request with the admin token creates another', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(demo, undefined, { clock })
    clock.advance(24 * 3_600_000)
    expect(await accept(gateway, gateway.firstOwnerSecret ?? '', 'olga')).toBe('link_not_found')
    const { body } = await createAskAdmin(gateway.url)('POST', '/users/invite-owner', { body: {} })
    const { secret } = body as { readonly secret: string }
    expect(await accept(gateway, secret, 'olga')).toBe('accepted')
    expect(existsSync(fileOf(gateway))).toBe(false)
  })
})

it('without an owner, only the link and the admin token give access', async () => {
  await using gateway = await startGateway(demo)
  const browser = new Browser(gateway)
  for (const path of ['/me', '/keys', '/users', '/config', '/audit'])
    expect(codeOf(await browser.ask('GET', path))).toBe('admin_only')
  expect(
    codeOf(await browser.ask('POST', '/links/accept', { secret: '', name: 'eve', password: personPassword })),
  ).toBe('link_not_found')
})
