import { describe, expect, it } from 'vitest'
import { addUser, Browser, codeOf, personPassword, secretOf } from '../support/admin-browser.ts'
import { callModel } from '../support/call-model.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import { openSignOnScene, readOutcome, verified } from '../support/single-sign-on/open-scene.ts'
import {
  comeBack,
  goToProvider,
  ProviderBrowser,
  signInByProvider,
} from '../support/single-sign-on/sign-in-by-provider.ts'

const meOf = async (browser: Browser) => (await browser.ask('GET', '/me')).body

describe('a person with an account at the identity provider', () => {
  it('becomes a user by the domain of a verified address, creates a key that serves, and signs in again', async () => {
    await using scene = await openSignOnScene('domains: [example.com]\ngroup_claim: groups')
    const claims = { ...verified('anna@example.com'), groups: ['search', 'unknown'] }
    const { browser, outcome } = await scene.arrive('anna', claims)
    expect(outcome).toBe('signed-in')
    expect(await meOf(browser)).toMatchObject({
      name: 'anna@example.com',
      role: 'member',
      groups: [{ group: 'search', manager: false }],
      password: false,
      identity: { issuer: scene.provider.issuer, subject: 'anna' },
    })
    const key = await browser.ask('POST', '/keys', { name: 'mine' })
    expect((await callModel(scene.gateway, secretOf(key))).status).toBe(200)
    const again = await scene.arrive('anna', claims)
    expect(await meOf(again.browser)).toMatchObject({ name: 'anna@example.com' })
    expect(await scene.readAudit()).toContainEqual(
      `anna@example.com: user.create (name: anna@example.com, role: member, groups: search, identity: anna at ${scene.provider.issuer}, by address of example.com)`,
    )
  })

  it('accepts an invitation, with its name, role and groups, whatever the domain', async () => {
    await using scene = await openSignOnScene()
    const invitation = { role: 'viewer', name: 'boris', groups: [{ group: 'local', manager: true }] }
    const link = secretOf(await scene.owner.ask('POST', '/users/invite', invitation))
    scene.provider.accounts.set('b-1', { claims: { email: 'boris@elsewhere.example' } })
    scene.provider.signInAs = 'b-1'
    const browser = new Browser(scene.gateway)
    const ended = readOutcome(await signInByProvider(browser, { body: { link } }))
    expect(ended.outcome).toBe('signed-in')
    expect(await meOf(browser)).toMatchObject({ name: 'boris', role: 'viewer', groups: invitation.groups })
    const other = await new Browser(scene.gateway).ask('POST', '/sign-in/oidc', { link })
    expect(codeOf(other)).toBe('link_not_found')
  })

  it('becomes the first owner by the link of the first start', async () => {
    await using scene = await openSignOnScene()
    const link = secretOf(await scene.owner.ask('POST', '/users/invite-owner', {}))
    scene.provider.accounts.set('root', { claims: verified('root@example.com') })
    scene.provider.signInAs = 'root'
    const browser = new Browser(scene.gateway)
    await signInByProvider(browser, { body: { link } })
    expect(await meOf(browser)).toMatchObject({ name: 'root@example.com', role: 'owner' })
  })

  it('continues to the requested page, and to no other site', async () => {
    await using scene = await openSignOnScene('domains: [example.com]')
    scene.provider.accounts.set('anna', { claims: verified('anna@example.com') })
    scene.provider.signInAs = 'anna'
    const browser = new Browser(scene.gateway)
    const body = { return_to: 'requests?status=error' }
    const ended = await signInByProvider(browser, { body })
    expect(ended).toMatchObject({ status: 303, location: '../../../../console/requests?status=error' })
    for (const return_to of [
      'https://evil.example/',
      '//evil.example',
      '../../metrics',
      '/admin',
      '\\\\evil',
      'a\nb',
    ]) {
      expect(codeOf(await browser.ask('POST', '/sign-in/oidc', { return_to }))).toBe('invalid_field')
    }
  })

  it('signs in from two tabs of one browser at the same time', async () => {
    await using scene = await openSignOnScene('domains: [example.com]')
    scene.provider.accounts.set('anna', { claims: verified('anna@example.com') })
    scene.provider.signInAs = 'anna'
    const browser = new Browser(scene.gateway)
    const tabs = [await goToProvider(browser), await goToProvider(browser)]
    for (const callback of tabs) {
      expect(readOutcome(await comeBack(browser, callback))).toMatchObject({ outcome: 'signed-in' })
      expect(readOutcome(await comeBack(browser, callback)).code).toBe('authorization_not_found')
    }
    expect(await meOf(browser)).toMatchObject({ name: 'anna@example.com' })
  })

  it('links the identity to a user who has a password, and the owner unlinks it', async () => {
    await using scene = await openSignOnScene()
    const mia = await addUser(scene.owner, scene.gateway, { role: 'member', name: 'mia' })
    scene.provider.accounts.set('m', { claims: verified('mia@example.com') })
    scene.provider.signInAs = 'm'
    const linked = readOutcome(await signInByProvider(mia, { path: '/me/identity' }))
    expect(linked.outcome).toBe('linked')
    expect(await meOf(mia)).toMatchObject({ password: true, identity: { subject: 'm' } })
    const byProvider = await scene.arrive('m', verified('mia@example.com'))
    expect(await meOf(byProvider.browser)).toMatchObject({ name: 'mia' })

    expect(codeOf(await mia.ask('DELETE', '/users/mia/identity'))).toBe('not_permitted')
    const unlinked = await scene.owner.ask('DELETE', '/users/mia/identity')
    expect(unlinked).toMatchObject({ status: 200, body: { name: 'mia', identity: null } })
    expect(codeOf(await byProvider.browser.ask('GET', '/me'))).toBe('admin_only')
    expect((await scene.arrive('m', verified('mia@example.com'))).code).toBe('domain_not_allowed')
    expect(await scene.readAudit()).toEqual(
      expect.arrayContaining([
        `mia: user.identity_link (name: mia, identity: m at ${scene.provider.issuer})`,
        `olga: user.identity_unlink (name: mia, identity: m at ${scene.provider.issuer})`,
      ]),
    )
  })

  it('reauthenticates at the provider before a dangerous operation', async () => {
    const clock = createFakeClock(Date.now())
    await using scene = await openSignOnScene('domains: [example.com]\nrole_claim: roles', { clock })
    scene.provider.accounts.set('anna', { claims: { ...verified('anna@example.com'), roles: ['admin'] } })
    scene.provider.signInAs = 'anna'
    const browser = new Browser(scene.gateway)
    const at = new ProviderBrowser()
    await signInByProvider(browser, { at })
    const invite = () => browser.ask('POST', '/users/invite', { role: 'member' })
    expect((await invite()).status).toBe(201)
    clock.advance(11 * 60_000)
    expect(codeOf(await invite())).toBe('reauthentication_required')
    const shown = await signInByProvider(browser, { path: '/reauthenticate/oidc', at })
    expect(readOutcome(shown).outcome).toBe('reauthenticated')
    expect(shown.location).toBe('../../../../console/single-sign-on?outcome=reauthenticated')
    expect((await invite()).status).toBe(201)
  })
})

describe('claims', () => {
  const policy = `domains: [example.com]
role_claim: resource_access.headgate.roles
roles: { gw-owners: owner, gw-admins: admin, gw-users: member }
group_claim: groups
groups: { eng: search, leads: { group: search, manager: true }, docs: writers }`
  const of = (roles: readonly string[], groups: readonly string[] = []) => ({
    ...verified('anna@example.com'),
    resource_access: { headgate: { roles } },
    groups,
  })

  it('set role and groups at each sign-in, and leave groups that they cannot name to the operators', async () => {
    await using scene = await openSignOnScene(policy)
    const first = await scene.arrive('anna', of(['gw-users', 'gw-admins', 'other'], ['eng', 'nothing']))
    expect(await meOf(first.browser)).toMatchObject({ role: 'admin', groups: [{ group: 'search' }] })
    const groups = [{ group: 'search' }, { group: 'local', manager: true }]
    expect((await scene.owner.ask('PATCH', '/users/anna@example.com', { groups })).status).toBe(200)
    const next = await scene.arrive('anna', of(['gw-users'], ['leads', 'docs']))
    expect(await meOf(next.browser)).toMatchObject({
      role: 'member',
      groups: [
        { group: 'local', manager: true },
        { group: 'search', manager: true },
        { group: 'writers', manager: false },
      ],
    })
    expect(await meOf(first.browser)).toMatchObject({ role: 'member' })
    expect(await scene.readAudit()).toContainEqual(
      'identity provider: user.change (name: anna@example.com, role: member)',
    )
  })

  it('never remove the last owner', async () => {
    await using scene = await openSignOnScene(policy)
    const anna = await scene.arrive('anna', of(['gw-owners']))
    expect((await anna.browser.ask('DELETE', '/users/olga')).status).toBe(200)
    const demoted = await scene.arrive('anna', of(['gw-users']))
    expect(await meOf(demoted.browser)).toMatchObject({ role: 'owner' })
    expect((await scene.arrive('anna', of([]))).code).toBe('role_not_given')
    expect(await meOf(demoted.browser)).toMatchObject({ role: 'owner' })
  })

  it('without any role disable the user: sessions, tokens and keys end', async () => {
    await using scene = await openSignOnScene(policy)
    const { browser } = await scene.arrive('anna', of(['gw-users'], ['eng']))
    const key = secretOf(await browser.ask('POST', '/keys', { name: 'mine' }))
    const token = secretOf(await browser.ask('POST', '/tokens', { name: 't', scopes: ['keys:read'] }))
    expect((await callModel(scene.gateway, key)).status).toBe(200)
    expect((await scene.arrive('anna', of([]))).code).toBe('role_not_given')
    expect(codeOf(await browser.ask('GET', '/me'))).toBe('admin_only')
    expect((await callModel(scene.gateway, key)).status).toBe(401)
    const byToken = await fetch(`${scene.gateway.url}/admin/v1/keys`, {
      headers: { authorization: `Bearer ${token}` },
    })
    expect(byToken.status).toBe(401)
    // What the provider gives back, an operator gives back, too.
    expect((await scene.arrive('anna', of(['gw-users']))).code).toBe('user_disabled')
    const enabled = await scene.owner.ask('PATCH', '/users/anna@example.com', { disabled: false })
    expect(enabled.status).toBe(200)
    expect((await scene.arrive('anna', of(['gw-users']))).outcome).toBe('signed-in')
    expect(await scene.readAudit()).toContainEqual(
      'identity provider: user.disable (name: anna@example.com, the identity provider gives no role)',
    )
  })

  it('without any role hand the keys over if the configuration says so', async () => {
    await using scene = await openSignOnScene(`${policy}\nrefused_keys: "hand-over:olga"`)
    const { browser } = await scene.arrive('anna', of(['gw-users'], ['eng']))
    const key = secretOf(await browser.ask('POST', '/keys', { name: 'mine' }))
    await scene.arrive('anna', of([]))
    expect((await callModel(scene.gateway, key)).status).toBe(200)
    expect((await scene.owner.ask('GET', '/keys/mine')).body).toMatchObject({ user: 'olga' })
  })
})

describe('disabled password sign-in', () => {
  it('remains for owners, and redirects everyone else to the provider', async () => {
    await using scene = await openSignOnScene('label: Company', { signIn: '  password: off' })
    const methods = await new Browser(scene.gateway).ask('GET', '/sign-in')
    expect(methods.body).toEqual({ password: false, oidc: { label: 'Company' } })
    expect((await new Browser(scene.gateway).signIn('olga')).status).toBe(200)
    const link = secretOf(await scene.owner.ask('POST', '/users/invite', { role: 'member', name: 'mia' }))
    const accepted = { secret: link, password: personPassword }
    const byPassword = await new Browser(scene.gateway).ask('POST', '/links/accept', accepted)
    expect(codeOf(byPassword)).toBe('password_sign_in_off')
    scene.provider.accounts.set('mia', { claims: {} })
    scene.provider.signInAs = 'mia'
    const ended = await signInByProvider(new Browser(scene.gateway), { body: { link } })
    expect(readOutcome(ended).outcome).toBe('signed-in')
    const owners = secretOf(await scene.owner.ask('POST', '/users/invite-owner', {}))
    const rescued = { secret: owners, name: 'rescuer', password: personPassword }
    expect((await new Browser(scene.gateway).ask('POST', '/links/accept', rescued)).status).toBe(200)
    expect((await new Browser(scene.gateway).signIn('rescuer')).status).toBe(200)
  })
})
