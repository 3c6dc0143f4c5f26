import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { totpStepAt, writeTotpCode } from '../../src/access/people/totp.ts'
import { auditListSchema } from '../../src/admin/audit/audit-contract.ts'
import {
  addUser,
  Browser,
  type BrowserAnswer,
  codeOf,
  makeOwner,
  personPassword,
  secretOf,
} from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { callModel } from '../support/call-model.ts'
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts'
import { readBase32 } from '../support/read-base32.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneFolder } from '../support/topology/needs.ts'

const demo = `channels: [{ name: demo, provider: demo }]
groups:
  search: { models: ["demo-chat"] }
  other: { models: ["*"] }
`
const password = personPassword

const member = { role: 'member', groups: [{ group: 'search' }], name: 'mia' }

describe('a person', () => {
  it('becomes the first owner, and invites a member, who creates a key that serves a call and signs out', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    expect((await owner.ask('GET', '/me')).body).toMatchObject({ type: 'user', name: 'olga', role: 'owner' })

    const mia = await addUser(owner, gateway, member)
    const made = await mia.ask('POST', '/keys', { name: 'mine' })
    expect(made).toMatchObject({ status: 201, body: { user: 'mia', group: 'search' } })
    expect((await callModel(gateway, secretOf(made))).status).toBe(200)
    expect((await callModel(gateway, secretOf(made), 'demo-slow')).status).toBe(404)

    const out = await mia.ask('POST', '/sign-out', {})
    expect(out).toMatchObject({ status: 200, body: { signed_out: true } })
    expect(out.cookie).toContain('Max-Age=0')
    expect(codeOf(await mia.ask('GET', '/me'))).toBe('admin_only')

    const audit = auditListSchema.parse((await owner.ask('GET', '/audit')).body)
    const story = audit.data
      .map(({ author, credential, action }) => `${author}, ${credential}: ${action}`)
      .toReversed()
    expect(story.filter((line) => !line.startsWith('configuration file'))).toEqual([
      'olga, link: user.create',
      'olga, password: user.sign_in',
      'olga, session: link.create',
      'mia, link: user.create',
      'mia, password: user.sign_in',
      'mia, session: key.create',
      'mia, session: session.end',
    ])
    expect(JSON.stringify(audit)).not.toContain(password)
  })

  it('can use a link once, and not after it has expired', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(demo, undefined, { clock })
    const owner = await makeOwner(gateway)
    const secret = secretOf(await owner.ask('POST', '/users/invite', member))
    const browser = new Browser(gateway)
    expect((await browser.ask('POST', '/links/show', { secret })).body).toMatchObject({
      name: 'mia',
      type: 'invitation',
    })
    expect((await browser.ask('POST', '/links/accept', { secret, password })).status).toBe(200)
    expect(codeOf(await browser.ask('POST', '/links/accept', { secret, password }))).toBe('link_not_found')
    const late = secretOf(await owner.ask('POST', '/users/invite', { ...member, name: 'max' }))
    clock.advance(7 * 86_400_000)
    expect(codeOf(await browser.ask('POST', '/links/accept', { secret: late, password }))).toBe(
      'link_not_found',
    )
  })

  it('does not become an owner by the link of a start after another link created one', async () => {
    await using gateway = await startGateway(demo)
    const file = join(gateway.dataFolder, 'first-owner')
    const secret = gateway.firstOwnerSecret
    const admin = createAskAdmin(gateway.url)
    const other = secretOf(await admin('POST', '/users/invite-owner', { body: {} }))
    const accept = (by: string | undefined, name: string) =>
      new Browser(gateway).ask('POST', '/links/accept', { secret: by, name, password })
    expect((await accept(other, 'olga')).status).toBe(200)
    expect(() => statSync(file)).toThrow('ENOENT')
    expect(codeOf(await accept(secret, 'eve'))).toBe('link_not_found')
  })

  it('cannot have a name that the audit log uses for something else', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const link = await owner.ask('POST', '/users/invite', { role: 'admin' })
    for (const name of [
      'Admin token',
      'command line',
      'command  line',
      'configuration file',
      'service ｃi',
      'first start',
    ]) {
      const body = { secret: secretOf(link), name, password }
      expect(codeOf(await new Browser(gateway).ask('POST', '/links/accept', body))).toBe('invalid_field')
      expect(codeOf(await owner.ask('POST', '/users/invite', { role: 'member', name }))).toBe('invalid_field')
    }
  })

  it('sets a new password by a link, which ends all sessions', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const mia = await addUser(owner, gateway, member)
    const secret = secretOf(await owner.ask('POST', '/users/mia/reset-link', {}))
    const other = { password: 'another long password' }
    expect((await new Browser(gateway).ask('POST', '/links/accept', { secret, ...other })).status).toBe(200)
    expect(codeOf(await mia.ask('GET', '/me'))).toBe('admin_only')
    expect(codeOf(await mia.signIn('mia'))).toBe('sign_in_failed')
    expect((await mia.signIn('mia', other)).status).toBe(200)
  })

  it('turns a second factor on; sign-in then fails without it, and no code works twice', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(demo, undefined, { clock })
    const owner = await makeOwner(gateway)
    const { body } = await owner.ask('POST', '/me/totp', {})
    const secret = readBase32(String((body as { secret?: unknown }).secret))
    const code = () => writeTotpCode(secret, totpStepAt(clock.nowMs()))
    const confirmed = await owner.ask('POST', '/me/totp/confirm', { code: code() })
    const { recovery_codes: recovery } = confirmed.body as { readonly recovery_codes: readonly string[] }
    expect(recovery).toHaveLength(10)

    const browser = new Browser(gateway)
    expect(codeOf(await browser.signIn('olga'))).toBe('code_required')
    expect(codeOf(await browser.signIn('olga', { code: code() }))).toBe('code_required')
    clock.advance(30_000)
    expect((await browser.signIn('olga', { code: code() })).status).toBe(200)
    expect((await browser.signIn('olga', { code: recovery[0] })).status).toBe(200)
    const { data } = auditListSchema.parse((await owner.ask('GET', '/audit?limit=2')).body)
    expect(data.map(({ action, credential }) => `${action}: ${credential}`)).toEqual([
      'user.sign_in: password, recovery code',
      'user.sign_in: password, code',
    ])
    expect(codeOf(await browser.signIn('olga', { code: recovery[0] }))).toBe('code_required')
  })
})

describe('a password', () => {
  it('is changed by a user who knows it, which ends all other sessions of the user', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const other = new Browser(gateway)
    await other.signIn('olga')
    const change = { password, new_password: 'another long password' }
    const wrong = { ...change, password: 'not the password' }
    expect(codeOf(await owner.ask('POST', '/me/password', wrong))).toBe('sign_in_failed')
    expect((await owner.ask('POST', '/me/password', change)).body).toEqual({ changed: true })
    expect((await owner.ask('GET', '/me')).status).toBe(200)
    expect(codeOf(await other.ask('GET', '/me'))).toBe('admin_only')
    expect(codeOf(await other.signIn('olga'))).toBe('sign_in_failed')
    expect((await other.signIn('olga', { password: change.new_password })).status).toBe(200)
  })

  it('can be guessed through a session no faster than at sign-in', async () => {
    await using gateway = await startGateway(demo, undefined, { clock: createFakeClock(Date.now()) })
    const owner = await makeOwner(gateway)
    const wrong = { password: 'a guess' }
    const change = { ...wrong, new_password: 'another long password' }
    for (let count = 0; count < 3; count += 1)
      expect(codeOf(await owner.ask('POST', '/me/password', change))).toBe('sign_in_failed')
    for (let count = 0; count < 2; count += 1)
      expect(codeOf(await owner.ask('POST', '/reauthenticate', wrong))).toBe('sign_in_failed')
    expect(codeOf(await owner.ask('POST', '/me/password', change))).toBe('too_many_sign_ins')
  })
})

describe('a second factor', () => {
  const turnOn = async (browser: Browser) => {
    const { body } = await browser.ask('POST', '/me/totp', {})
    const secret = readBase32(String((body as { secret?: unknown }).secret))
    const code = writeTotpCode(secret, totpStepAt(Date.now()))
    expect((await browser.ask('POST', '/me/totp/confirm', { code })).status).toBe(200)
  }

  it('is turned off by its user, or by an admin if the phone is lost', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const mia = await addUser(owner, gateway, member)
    await turnOn(mia)
    expect(codeOf(await mia.ask('POST', '/me/totp', {}))).toBe('second_factor_exists')
    expect(codeOf(await new Browser(gateway).signIn('mia'))).toBe('code_required')
    expect((await mia.ask('DELETE', '/me/totp')).body).toEqual({ second_factor: false })
    expect((await new Browser(gateway).signIn('mia')).status).toBe(200)
    await turnOn(mia)
    expect(codeOf(await mia.ask('DELETE', '/users/mia/totp'))).toBe('not_permitted')
    expect((await owner.ask('DELETE', '/users/mia/totp')).body).toEqual({ second_factor: false })
    expect((await new Browser(gateway).signIn('mia')).status).toBe(200)
  })
})

describe('a session', () => {
  it('never has the id that the browser had before sign-in', async () => {
    await using gateway = await startGateway(demo)
    await makeOwner(gateway)
    const planted = `headgate_session=${Buffer.alloc(32, 1).toString('base64url')}`
    const victim = new Browser(gateway, planted)
    expect((await victim.signIn('olga')).status).toBe(200)
    expect(victim.cookie).not.toBe(planted)
    expect(codeOf(await new Browser(gateway, planted).ask('GET', '/me'))).toBe('admin_only')
    expect((await victim.ask('GET', '/me')).status).toBe(200)
  })

  it('ends after twelve idle hours, and after thirty days of any use', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(demo, undefined, { clock })
    const owner = await makeOwner(gateway)
    await useEveryHour(owner, clock, 11)
    clock.advance(12 * 3_600_000)
    expect(codeOf(await owner.ask('GET', '/me'))).toBe('admin_only')
    await owner.signIn('olga')
    await useEveryHour(owner, clock, 60, 11.9)
    expect((await owner.ask('GET', '/me')).status).toBe(200)
    await useEveryHour(owner, clock, 1, 11.9)
    expect(codeOf(await owner.ask('GET', '/me'))).toBe('admin_only')
  })

  it('requires the password again for dangerous operations after ten minutes', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(demo, undefined, { clock })
    const owner = await makeOwner(gateway)
    clock.advance(10 * 60_000)
    expect(codeOf(await owner.ask('POST', '/users/invite', member))).toBe('reauthentication_required')
    expect(codeOf(await owner.ask('POST', '/reauthenticate', { password: 'wrong' }))).toBe('sign_in_failed')
    expect((await owner.ask('POST', '/reauthenticate', { password })).status).toBe(200)
    const [record] = auditListSchema.parse((await owner.ask('GET', '/audit')).body).data
    expect(record).toMatchObject({ author: 'olga', credential: 'password', action: 'user.reauthenticate' })
    expect((await owner.ask('POST', '/users/invite', member)).status).toBe(201)
  })

  it('is listed with address and browser, and is ended by its user or an admin', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const mia = await addUser(owner, gateway, member)
    const { body } = await mia.ask('GET', '/sessions')
    const [own] = (body as { readonly data: readonly { readonly id: string }[] }).data
    expect(own).toMatchObject({ user: 'mia', address: '127.0.0.1', user_agent: 'a browser', current: true })
    for (const query of [
      '/sessions?user=olga',
      '/sessions?user=nobody',
      '/sessions?user=*',
      '/tokens?of=all',
    ])
      expect(codeOf(await mia.ask('GET', query))).toBe('not_permitted')
    expect((await mia.ask('GET', '/sessions?user=MIA')).body).toEqual(body)
    expect((await owner.ask('DELETE', `/sessions/${own?.id}`)).status).toBe(200)
    expect(codeOf(await mia.ask('GET', '/me'))).toBe('admin_only')
  })

  it('is useless to a page of another site', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const crossed = await owner.ask('POST', '/users/invite', member, 'cross-site')
    expect(crossed).toMatchObject({ status: 403 })
    expect(codeOf(crossed)).toBe('cross_site_request')
    expect(codeOf(await owner.ask('POST', '/sign-in', { name: 'olga', password }, 'cross-site'))).toBe(
      'cross_site_request',
    )
  })
})

async function useEveryHour(browser: Browser, clock: FakeClock, times: number, hours = 1): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    clock.advance(hours * 3_600_000)
    await browser.ask('GET', '/me')
  }
}

describe('password guessing', () => {
  it('gets the same answer for an unknown name, and has to wait after a few attempts', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(demo, undefined, { clock })
    await makeOwner(gateway)
    const guess = async (name: string) => {
      const answers: unknown[] = []
      for (let count = 0; count < 6; count += 1)
        answers.push(await new Browser(gateway).ask('POST', '/sign-in', { name, password: 'wrong' }))
      return answers
    }
    const [known, unknown] = [await guess('olga'), await guess('nobody')]
    expect(known).toEqual(unknown)
    expect(known.map((answer) => codeOf(answer as BrowserAnswer))).toEqual([
      ...Array.from({ length: 5 }, () => 'sign_in_failed'),
      'too_many_sign_ins',
    ])
    expect(codeOf(await new Browser(gateway).signIn('olga'))).toBe('too_many_sign_ins')
    clock.advance(1_000)
    expect((await new Browser(gateway).signIn('olga')).status).toBe(200)
  })

  it('has to wait, too, if one password is tried for many names from one address', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(demo, undefined, { clock })
    await makeOwner(gateway)
    const spray = (name: string) =>
      new Browser(gateway).ask('POST', '/sign-in', { name, password: 'Summer2026!!' })
    for (let count = 0; count < 20; count += 1)
      expect(codeOf(await spray(`user ${count}`))).toBe('sign_in_failed')
    expect(codeOf(await spray('user 20'))).toBe('too_many_sign_ins')
    expect(codeOf(await new Browser(gateway).signIn('olga'))).toBe('too_many_sign_ins')
    expect(codeOf(await new Browser(gateway).ask('POST', '/links/show', { secret: 'x' }))).toBe(
      'too_many_sign_ins',
    )
    clock.advance(1_000)
    expect((await new Browser(gateway).signIn('olga')).status).toBe(200)
  })

  it('cannot send a large body without a session', async () => {
    await using gateway = await startGateway(demo)
    const large = { name: 'olga', password: 'x'.repeat(20_000) }
    expect(await new Browser(gateway).ask('POST', '/sign-in', large)).toMatchObject({ status: 413 })
  })
})

describe('users', () => {
  it('with the role of admin can neither create nor change owners', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const admin = await addUser(owner, gateway, { role: 'admin', name: 'adam' })
    expect(codeOf(await admin.ask('POST', '/users/invite', { role: 'owner' }))).toBe('owner_required')
    expect(codeOf(await admin.ask('PATCH', '/users/olga', { disabled: true }))).toBe('owner_required')
    expect(codeOf(await admin.ask('PATCH', '/users/adam', { role: 'owner' }))).toBe('owner_required')
    expect(codeOf(await admin.ask('POST', '/users/olga/reset-link', {}))).toBe('owner_required')
    expect(codeOf(await admin.ask('POST', '/users/invite-owner', {}))).toBe('not_permitted')
    expect(codeOf(await owner.ask('DELETE', '/users/olga'))).toBe('last_owner')
    expect(codeOf(await owner.ask('PATCH', '/users/olga', { role: 'admin' }))).toBe('last_owner')
  })

  it('who become owners end the links to a new password that an admin made for them before', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const admin = await addUser(owner, gateway, { role: 'admin', name: 'adam' })
    await addUser(owner, gateway, member)
    const secret = secretOf(await admin.ask('POST', '/users/mia/reset-link', {}))
    expect((await owner.ask('PATCH', '/users/mia', { role: 'owner' })).status).toBe(200)
    const accepted = await new Browser(gateway).ask('POST', '/links/accept', { secret, password })
    expect(codeOf(accepted)).toBe('link_not_found')
  })

  it('are disabled only by a request that says what happens to their keys', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const mia = await addUser(owner, gateway, member)
    const key = secretOf(await mia.ask('POST', '/keys', { name: 'mine' }))
    expect(codeOf(await owner.ask('PATCH', '/users/mia', { disabled: true }))).toBe('missing_field')
    expect((await callModel(gateway, key)).status).toBe(200)
    const disabled = await owner.ask('PATCH', '/users/mia', { disabled: true, keys: 'disable' })
    expect(disabled.body).toMatchObject({ status: 'disabled', keys: { changed: 1, in_file: [] } })
    expect((await callModel(gateway, key)).status).toBe(401)
    expect(codeOf(await mia.ask('GET', '/me'))).toBe('admin_only')
    expect(codeOf(await mia.signIn('mia'))).toBe('sign_in_failed')
    expect(codeOf(await owner.ask('POST', '/users/mia/reset-link', {}))).toBe('user_disabled')
  })

  it('can be changed without a decision about their keys if the change does not disable them', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    await addUser(owner, gateway, member)
    for (const change of [
      { role: 'viewer', keys: 'disable' },
      { disabled: false, keys: 'hand-over:nobody' },
    ]) {
      const refused = await owner.ask('PATCH', '/users/mia', change)
      expect(refused.body).toMatchObject({ error: { code: 'invalid_field', param: 'keys' } })
    }
    expect((await owner.ask('GET', '/users/mia')).body).toMatchObject({ role: 'member' })
  })

  it('hand their keys over when they are deleted, and the audit log keeps their names', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const mia = await addUser(owner, gateway, member)
    const key = secretOf(await mia.ask('POST', '/keys', { name: 'mine' }))
    const deleted = await owner.ask('DELETE', '/users/mia?keys=hand-over:olga')
    expect(deleted.body).toMatchObject({ name: 'mia', keys: { changed: 1 } })
    expect((await callModel(gateway, key)).status).toBe(200)
    expect((await owner.ask('GET', '/keys/mine')).body).toMatchObject({ user: 'olga' })
    expect(codeOf(await owner.ask('GET', '/users/mia'))).toBe('user_not_found')
    expect(JSON.stringify((await owner.ask('GET', '/audit')).body)).toContain('"author":"mia"')
    const again = await owner.ask('POST', '/users/invite', member)
    const secret = secretOf(again)
    expect(codeOf(await new Browser(gateway).ask('POST', '/links/accept', { secret, password }))).toBe(
      'name_taken',
    )
  })

  it('are paged, filtered and sorted', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    for (const name of ['mia', 'max']) await addUser(owner, gateway, { ...member, name })
    const page = async (query: string) => {
      const { body } = await owner.ask('GET', `/users?${query}`)
      return body as {
        readonly data: readonly { readonly name: string }[]
        readonly next_after: string | null
      }
    }
    const first = await page('limit=2')
    expect(first.data.map(({ name }) => name)).toEqual(['max', 'mia'])
    const second = await page(`limit=2&after=${first.next_after}`)
    expect(second).toMatchObject({ data: [{ name: 'olga' }], next_after: null })
    expect((await page('group=search&sort=-name')).data.map(({ name }) => name)).toEqual(['mia', 'max'])
    expect((await page('q=OL')).data.map(({ name }) => name)).toEqual(['olga'])
    expect(codeOf(await owner.ask('GET', '/users?after=nonsense'))).toBe('invalid_field')
  })
})

describe('a member', () => {
  it('sees and changes only their own keys, inside their groups', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    await owner.ask('POST', '/keys', { name: 'secret-one', group: 'search' })
    const mia = await addUser(owner, gateway, member)
    await mia.ask('POST', '/keys', { name: 'mine' })
    const { body } = await mia.ask('GET', '/keys')
    expect(
      (body as { readonly data: readonly { readonly name: string }[] }).data.map(({ name }) => name),
    ).toEqual(['mine'])
    expect(codeOf(await mia.ask('GET', '/keys/secret-one'))).toBe('key_not_found')
    expect(codeOf(await mia.ask('DELETE', '/keys/secret-one'))).toBe('key_not_found')
    expect(codeOf(await mia.ask('POST', '/keys', { name: 'k', group: 'other' }))).toBe('not_permitted')
    expect(codeOf(await mia.ask('POST', '/keys', { name: 'k', user: 'olga' }))).toBe('not_permitted')
    expect(codeOf(await mia.ask('PATCH', '/keys/mine', { group: 'other' }))).toBe('not_permitted')
    expect(codeOf(await mia.ask('PATCH', '/keys/mine', { group: null }))).toBe('not_permitted')
    for (const change of [{ dry_run: true }, { budgets: [] }, { disabled: false }, { expires_at: null }])
      expect(codeOf(await mia.ask('PATCH', '/keys/mine', change))).toBe('not_permitted')
    expect((await mia.ask('PATCH', '/keys/mine', { disabled: true })).status).toBe(200)
    expect(codeOf(await mia.ask('GET', '/users'))).toBe('not_permitted')
    expect((await mia.ask('POST', '/keys/mine/rotate', {})).status).toBe(200)
  })

  it('creates keys with an expiry, no later than the group’s limit', async () => {
    await using gateway = await startGateway(
      `${demo}  lasting: { models: ["demo-chat"], key_defaults: { expires: 30d } }\n`,
    )
    const owner = await makeOwner(gateway)
    const mia = await addUser(owner, gateway, {
      ...member,
      groups: [{ group: 'search' }, { group: 'lasting' }],
    })
    const order = (group: string, end: string | null) =>
      mia.ask('POST', '/keys', { name: `${group}-${end}`, group, expires_at: end })
    expect((await order('search', '90d')).status).toBe(201)
    expect((await order('search', null)).body).toMatchObject({ expires_at: null })
    expect((await order('lasting', '7d')).status).toBe(201)
    for (const end of ['90d', null])
      expect([end, await order('lasting', end)]).toMatchObject([
        end,
        { status: 403, body: { error: { code: 'not_permitted', param: 'expires_at' } } },
      ])
  })

  it('chooses no name under which keys are already, whose keys they would be', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    await owner.ask('POST', '/keys', { name: 'nightly', user: 'Nightly-Job', group: 'search' })
    const secret = secretOf(await owner.ask('POST', '/users/invite', { role: 'member' }))
    const accept = (name: string) =>
      new Browser(gateway).ask('POST', '/links/accept', { secret, name, password })
    for (const name of ['Nightly-Job', 'nightly-job']) expect(codeOf(await accept(name))).toBe('name_taken')
    expect((await accept('mia')).status).toBe(200)
    const named = { role: 'member', name: 'Nightly-Job' }
    const chosen = await addUser(owner, gateway, named)
    expect((await chosen.ask('GET', '/keys/nightly')).body).toMatchObject({ user: 'Nightly-Job' })
  })

  it('moves no key to a group that limits its new keys, unless as its manager', async () => {
    await using gateway = await startGateway(
      `${demo}  limited: { key_defaults: { budgets: [{ limit_usd: 1, window: day }] } }\n  lasting: { key_defaults: { expires: 30d } }\n  managed: { key_defaults: { expires: 30d } }\n`,
    )
    const owner = await makeOwner(gateway)
    const names = ['search', 'other', 'limited', 'lasting']
    const groups = [...names.map((group) => ({ group })), { group: 'managed', manager: true }]
    const mia = await addUser(owner, gateway, { ...member, groups })
    await mia.ask('POST', '/keys', { name: 'mine', group: 'search' })
    for (const group of ['limited', 'lasting'])
      for (const [method, path] of [
        ['PATCH', '/keys/mine'],
        ['POST', '/keys/mine/preview'],
      ] as const)
        expect((await mia.ask(method, path, { group })).body).toMatchObject({
          error: { code: 'not_permitted', param: 'group' },
        })
    for (const group of ['other', 'managed'])
      expect((await mia.ask('PATCH', '/keys/mine', { group })).body).toMatchObject({ group })
  })

  it('finds the link of the first owner in a private file, which is removed once there is an owner', async () => {
    needsOneFolder('the file stays on the node that wrote it')
    await using gateway = await startGateway(demo)
    const file = join(gateway.dataFolder, 'first-owner')
    expect(readFileSync(file, 'utf8').trim()).toBe(gateway.firstOwnerSecret)
    expect(statSync(file).mode & 0o777).toBe(0o600)
    await makeOwner(gateway)
    expect(() => statSync(file)).toThrow('ENOENT')
  })

  it('who manages a group manages its keys, and creates some for others', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    await owner.ask('POST', '/keys', { name: 'of-the-group', group: 'search' })
    const mia = await addUser(owner, gateway, { ...member, groups: [{ group: 'search', manager: true }] })
    expect((await mia.ask('PATCH', '/keys/of-the-group', { disabled: true })).status).toBe(200)
    expect((await mia.ask('POST', '/keys', { name: 'for-max', user: 'max' })).body).toMatchObject({
      user: 'max',
    })
  })
})

describe('the operations that GET /me lists', () => {
  const operationsOf = ({ body }: { readonly body: unknown }) =>
    (body as { readonly operations: readonly string[] }).operations

  it('are those that the role may call, and no others', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const listed = async (role: string) =>
      operationsOf(await (await addUser(owner, gateway, { role, name: role })).ask('GET', '/me'))
    const [ofOwner, admin, viewer, member] = [
      operationsOf(await owner.ask('GET', '/me')),
      await listed('admin'),
      await listed('viewer'),
      await listed('member'),
    ]
    const askedBy = (operation: string) =>
      Object.entries({ owner: ofOwner, admin, viewer, member })
        .filter(([, operations]) => operations.includes(operation))
        .map(([role]) => role)
    expect(askedBy('POST /admin/v1/users/invite-owner')).toEqual(['owner'])
    expect(askedBy('POST /admin/v1/users/invite')).toEqual(['owner', 'admin'])
    expect(askedBy('GET /admin/v1/users')).toEqual(['owner', 'admin', 'viewer'])
    expect(askedBy('POST /admin/v1/keys')).toEqual(['owner', 'admin', 'member'])
    expect(askedBy('GET /admin/v1/keys')).toEqual(['owner', 'admin', 'viewer', 'member'])
  })

  it('are those of the scopes if a token calls', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const made = await owner.ask('POST', '/tokens', { name: 'ci', scopes: ['keys:read'] })
    const operations = operationsOf(await createAskAdmin(gateway.url, secretOf(made))('GET', '/me'))
    expect(operations).toContain('GET /admin/v1/keys')
    expect(operations).not.toContain('POST /admin/v1/keys')
    expect(operations).not.toContain('POST /admin/v1/sign-out')
  })
})

describe('a token', () => {
  it('does what its scopes allow while its user may, and nothing once it is revoked', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const made = await owner.ask('POST', '/tokens', { name: 'ci', scopes: ['keys:write'] })
    const ask = createAskAdmin(gateway.url, secretOf(made))
    expect((await ask('POST', '/keys', { body: { name: 'by-token' } })).status).toBe(201)
    const [record] = auditListSchema.parse((await owner.ask('GET', '/audit')).body).data
    expect(record).toMatchObject({ author: 'olga', credential: 'token "ci"', action: 'key.create' })
    expect((await ask('GET', '/users')).status).toBe(403)
    expect((await ask('POST', '/tokens', { body: { name: 'more', scopes: ['users:write'] } })).status).toBe(
      403,
    )
    const { id } = made.body as { readonly id: string }
    expect((await owner.ask('DELETE', `/tokens/${id}`)).status).toBe(200)
    expect((await ask('GET', '/keys')).status).toBe(401)
  })

  it('of a service belongs to no user, and is named in the audit log', async () => {
    await using gateway = await startGateway(demo)
    const owner = await makeOwner(gateway)
    const made = await owner.ask('POST', '/tokens', {
      name: 'deploy',
      scopes: ['keys:write'],
      service: 'admin',
    })
    expect(made.body).toMatchObject({ user: null, role: 'admin' })
    const ask = createAskAdmin(gateway.url, secretOf(made))
    await ask('POST', '/keys', { body: { name: 'by-service' } })
    expect(JSON.stringify((await owner.ask('GET', '/audit')).body)).toContain('"author":"service deploy"')
  })
})

it('the admin token can still do everything once there is an owner, under its own name', async () => {
  await using gateway = await startGateway(demo)
  await makeOwner(gateway)
  const admin = createAskAdmin(gateway.url)
  expect((await admin('POST', '/users/invite-owner', { body: {} })).status).toBe(201)
  expect((await admin('GET', '/me')).body).toMatchObject({
    type: 'admin-token',
    role: 'owner',
    session: null,
  })
  const { data } = auditListSchema.parse((await admin('GET', '/audit')).body)
  // Each process records its first use of the token.
  const actions = data.filter(({ author }) => author === 'admin token').map(({ action }) => action)
  expect([...new Set(actions)].toSorted()).toEqual(['admin_token.use', 'link.create'])
  expect(await admin('POST', '/sign-out', { body: {} })).toMatchObject({
    status: 403,
    body: { error: { code: 'session_required' } },
  })
})
