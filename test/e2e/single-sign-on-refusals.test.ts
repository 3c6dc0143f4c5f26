import type { JWTPayload } from 'jose'
import { describe, expect, it } from 'vitest'
import { auditListSchema } from '../../src/admin/audit/audit-contract.ts'
import { addUser, Browser, codeOf } from '../support/admin-browser.ts'
import { createFakeClock } from '../support/fake-clock.ts'
import {
  openSignOnScene,
  readOutcome,
  type SignOnScene,
  verified,
} from '../support/single-sign-on/open-scene.ts'
import { comeBack, goToProvider, signInByProvider } from '../support/single-sign-on/sign-in-by-provider.ts'
import { startGateway } from '../support/start-gateway.ts'
import { needsOneProcess } from '../support/topology/needs.ts'

const domains = 'domains: [example.com]'
const anna = verified('anna@example.com')

/** What a refusal must say: each message names a next step. */
const nextStep = /Begin again|Verify it|Ask |operator|invitation|sign in (?:with|there)/i

function expectRefusal(refused: { readonly code: unknown; readonly message: unknown }, code: string) {
  expect(refused.code).toBe(code)
  expect(refused.message).toMatch(nextStep)
}

async function expectNoUser({ owner }: SignOnScene) {
  const { data } = (await owner.ask('GET', '/users')).body as { data: readonly { name: string }[] }
  expect(data.map(({ name }) => name)).toEqual(['olga'])
}

/** The audit has the reason of the last refusal as data, and not as a sentence of a library. */
async function expectFact({ owner }: SignOnScene) {
  const { body } = await owner.ask('GET', '/audit?action=user.sign_in_refused&limit=1')
  const [entry] = auditListSchema.parse(body).data
  const kinds = entry?.facts.map(({ kind }) => kind) ?? []
  expect(kinds).toContainEqual(expect.stringMatching(/^provider_/))
  expect(kinds, entry?.details.join(', ')).not.toContain('text')
}

describe('an ID token', () => {
  const past = () => Math.floor(Date.now() / 1_000) - 3_600
  it.each<[string, (claims: JWTPayload) => JWTPayload, string]>([
    ['of another nonce', (claims) => ({ ...claims, nonce: 'of another browser' }), 'id_token_invalid'],
    ['without a nonce', ({ nonce: _nonce, ...claims }) => claims, 'id_token_invalid'],
    ['for another audience', (claims) => ({ ...claims, aud: 'another client' }), 'id_token_invalid'],
    [
      'for another party of several',
      (claims) => ({ ...claims, aud: ['headgate', 'x'], azp: 'x' }),
      'id_token_invalid',
    ],
    ['of another issuer', (claims) => ({ ...claims, iss: 'https://evil.example' }), 'id_token_invalid'],
    ['that has expired', (claims) => ({ ...claims, exp: past() }), 'id_token_expired'],
    ['that does not hold yet', (claims) => ({ ...claims, nbf: past() + 7_200 }), 'id_token_expired'],
    ['of nobody', ({ sub: _sub, ...claims }) => claims, 'id_token_invalid'],
  ])('%s is refused, and the message says what to do', async (_name, claims, code) => {
    await using scene = await openSignOnScene(domains)
    scene.provider.misbehaviour.claims = claims
    const { browser, ...refused } = await scene.arrive('anna', anna)
    expectRefusal(refused, code)
    expect(codeOf(await browser.ask('GET', '/me'))).toBe('admin_only')
    await expectNoUser(scene)
    await expectFact(scene)
    expect((await scene.readAudit()).at(-1)).toMatch(
      new RegExp(`^identity provider: user.sign_in_refused \\(refused: ${code}, `),
    )
  })

  it('with the signature of another key is refused', async () => {
    await using scene = await openSignOnScene(domains)
    scene.provider.misbehaviour.signsWithOtherKey = true
    expectRefusal(await scene.arrive('anna', anna), 'id_token_invalid')
    await expectNoUser(scene)
    await expectFact(scene)
  })
})

describe('an answer of the provider', () => {
  async function begin(scene: SignOnScene, browser = new Browser(scene.gateway)) {
    scene.provider.accounts.set('anna', { claims: anna })
    scene.provider.signInAs = 'anna'
    return { browser, callback: await goToProvider(browser) }
  }

  it('with another state is refused', async () => {
    await using scene = await openSignOnScene(domains)
    const { browser, callback } = await begin(scene)
    callback.searchParams.set('state', 'another')
    expectRefusal(readOutcome(await comeBack(browser, callback)), 'authorization_not_found')
    callback.searchParams.delete('state')
    expectRefusal(readOutcome(await comeBack(browser, callback)), 'authorization_not_found')
    await expectNoUser(scene)
  })

  it('is accepted only in the browser that started, so that no user is signed in as another', async () => {
    await using scene = await openSignOnScene(domains)
    const { callback } = await begin(scene)
    const victim = new Browser(scene.gateway)
    expectRefusal(readOutcome(await comeBack(victim, callback)), 'authorization_not_found')
    await begin(scene, victim)
    expectRefusal(readOutcome(await comeBack(victim, callback)), 'authorization_not_found')
    expect(codeOf(await victim.ask('GET', '/me'))).toBe('admin_only')
  })

  it('is accepted once: the same state again is refused', async () => {
    await using scene = await openSignOnScene(domains)
    const { browser, callback } = await begin(scene)
    const { cookie } = browser
    expect(readOutcome(await comeBack(browser, callback)).outcome).toBe('signed-in')
    const replay = new Browser(scene.gateway, cookie)
    expectRefusal(readOutcome(await comeBack(replay, callback)), 'authorization_not_found')
  })

  it('with a used code is refused by the provider', async () => {
    await using scene = await openSignOnScene(domains)
    const first = await begin(scene)
    expect(readOutcome(await comeBack(first.browser, first.callback)).outcome).toBe('signed-in')
    const { browser, callback } = await begin(scene)
    callback.searchParams.set('code', first.callback.searchParams.get('code') ?? '')
    expectRefusal(readOutcome(await comeBack(browser, callback)), 'authorization_code_refused')
  })

  it('after ten minutes is refused', async () => {
    const clock = createFakeClock(Date.now())
    await using scene = await openSignOnScene(domains, { clock })
    const { browser, callback } = await begin(scene)
    clock.advance(10 * 60_000)
    expectRefusal(readOutcome(await comeBack(browser, callback)), 'authorization_not_found')
  })

  it('with a denial is refused, without the provider’s words in page or address', async () => {
    await using scene = await openSignOnScene(domains)
    scene.provider.misbehaviour.refusal = 'access_denied'
    scene.provider.signInAs = 'anna'
    const answer = await signInByProvider(new Browser(scene.gateway))
    expectRefusal(readOutcome(answer), 'identity_provider_refused')
    expect(answer.location).toBe('../../../../console/single-sign-on?outcome=identity_provider_refused')
    expect(JSON.stringify(answer)).not.toContain('script')
    expect((await scene.readAudit()).at(-1)).toContain('it answered "access_denied"')
  })

  it('to a client with a wrong secret is refused', async () => {
    await using scene = await openSignOnScene(domains)
    scene.provider.register(scene.gateway, { secret: 'another secret' })
    expectRefusal(await scene.arrive('anna', anna), 'oidc_client_refused')
  })
})

describe('a person for whom the provider states', () => {
  it.each<[string, string, object, string]>([
    [
      'no verified address',
      domains,
      { email: 'anna@example.com', email_verified: false },
      'email_not_verified',
    ],
    ['not whether the address is verified', domains, { email: 'anna@example.com' }, 'email_not_verified'],
    [
      '"true" in a text',
      domains,
      { email: 'anna@example.com', email_verified: 'true' },
      'email_not_verified',
    ],
    ['no address', domains, {}, 'email_not_verified'],
    ['an address of another domain', domains, verified('anna@evil.example'), 'domain_not_allowed'],
    ['an address of a domain below', domains, verified('anna@sub.example.com'), 'domain_not_allowed'],
    ['an address with two "@"', domains, verified('anna@example.com@evil.example'), 'domain_not_allowed'],
    ['any address, where nobody signs up', '', anna, 'domain_not_allowed'],
    ['no role claim', `${domains}\nrole_claim: roles`, anna, 'role_claim_missing'],
    ['no role that counts', `${domains}\nrole_claim: roles`, { ...anna, roles: ['guest'] }, 'role_not_given'],
    [
      'a name that no user can have',
      `${domains}\nname_claim: name`,
      { ...anna, name: 'admin token' },
      'invalid_field',
    ],
    ['no name', `${domains}\nname_claim: name`, anna, 'user_name_unusable'],
    ['the name of somebody here', `${domains}\nname_claim: name`, { ...anna, name: 'OLGA' }, 'name_taken'],
  ])('%s is refused, and the message says what to do', async (_name, oidc, claims, code) => {
    await using scene = await openSignOnScene(oidc)
    const { browser, ...refused } = await scene.arrive('anna', claims)
    expect(refused.code).toBe(code)
    expect(refused.message).toMatch(/Begin again|Verify|Ask|ask|operator|invitation|Choose/)
    expect(codeOf(await browser.ask('GET', '/me'))).toBe('admin_only')
    await expectNoUser(scene)
  })

  it('the identity of a disabled user is refused', async () => {
    await using scene = await openSignOnScene(domains)
    await scene.arrive('anna', anna)
    await scene.owner.ask('PATCH', '/users/anna@example.com', { disabled: true })
    expectRefusal(await scene.arrive('anna', anna), 'user_disabled')
    expect((await scene.readAudit()).at(-1)).toMatch(/^anna@example.com: user.sign_in_refused/)
  })

  it('another identity does not pass reauthentication', async () => {
    await using scene = await openSignOnScene(domains)
    const { browser } = await scene.arrive('anna', anna)
    scene.provider.accounts.set('boris', { claims: verified('boris@example.com') })
    scene.provider.signInAs = 'boris'
    const other = await signInByProvider(browser, { path: '/reauthenticate/oidc' })
    expectRefusal(readOutcome(other), 'other_identity')
  })

  it('an old sign-in does not pass reauthentication', async () => {
    await using scene = await openSignOnScene(domains)
    const { browser } = await scene.arrive('anna', anna)
    for (const auth_time of [Math.floor(Date.now() / 1_000) - 600, undefined]) {
      scene.provider.misbehaviour.claims = ({ auth_time: _time, ...claims }) => ({
        ...claims,
        ...(auth_time !== undefined && { auth_time }),
      })
      const stale = await signInByProvider(browser, { path: '/reauthenticate/oidc' })
      expectRefusal(readOutcome(stale), 'not_signed_in_again')
    }
  })

  it('another user’s identity is not linked twice', async () => {
    await using scene = await openSignOnScene(domains)
    await scene.arrive('anna', anna)
    const mia = await addUser(scene.owner, scene.gateway, { role: 'member', name: 'mia' })
    const taken = await signInByProvider(mia, { path: '/me/identity' })
    expect(readOutcome(taken).code).toBe('identity_in_use')
  })
})

describe('an unavailable provider', () => {
  it('does not stop the gateway from starting, nor a password sign-in', async () => {
    await using scene = await openSignOnScene(domains)
    await scene.provider.stop()
    const refused = await new Browser(scene.gateway).ask('POST', '/sign-in/oidc', {})
    expect(refused).toMatchObject({ status: 503, cookie: undefined })
    expect(codeOf(refused)).toBe('identity_provider_unavailable')
    expect((await new Browser(scene.gateway).signIn('olga')).status).toBe(200)
  })

  it('is called again at the next sign-in, once for all that wait', async () => {
    needsOneProcess('each process asks the provider by itself')
    await using scene = await openSignOnScene(domains)
    const ask = () => new Browser(scene.gateway).ask('POST', '/sign-in/oidc', {})
    expect(scene.provider.asked.get('/.well-known/openid-configuration')).toBeUndefined()
    await Promise.all([ask(), ask(), ask()])
    await ask()
    expect(scene.provider.asked.get('/.well-known/openid-configuration')).toBe(1)
  })

  it('in the middle of a sign-in refuses it, and the message says what to do', async () => {
    await using scene = await openSignOnScene(domains)
    scene.provider.accounts.set('anna', { claims: anna })
    scene.provider.signInAs = 'anna'
    const browser = new Browser(scene.gateway)
    const callback = await goToProvider(browser)
    await scene.provider.stop()
    const { code, message } = readOutcome(await comeBack(browser, callback))
    expect(code).toBe('identity_provider_unavailable')
    expect(message).toContain('Try again')
  })

  it('on a private network is not called unless the configuration allows it', async () => {
    await using scene = await openSignOnScene(domains)
    const issuer = `issuer: "${scene.provider.issuer}"`
    const starting = startGateway(`sign_in: { oidc: { ${issuer}, client_id: a, client_secret: b } }`)
    await expect(starting).rejects.toThrow(/allow_private: true/)
  })
})

describe('single sign-on', () => {
  it('requires a session to link an identity, or to reauthenticate', async () => {
    await using scene = await openSignOnScene(domains)
    const nobody = new Browser(scene.gateway)
    expect(codeOf(await nobody.ask('POST', '/me/identity', {}))).toBe('admin_only')
    expect(codeOf(await nobody.ask('POST', '/reauthenticate/oidc', {}))).toBe('admin_only')
    const lost = await nobody.ask('GET', '/sign-in/oidc/callback', undefined, 'none')
    expectRefusal(readOutcome(lost), 'authorization_not_found')
  })

  it('is 404 if it is not set up', async () => {
    await using gateway = await startGateway('channels: [{ name: demo, provider: demo }]')
    const browser = new Browser(gateway)
    expect((await browser.ask('GET', '/sign-in')).body).toEqual({ password: true, oidc: null })
    expect(codeOf(await browser.ask('POST', '/sign-in/oidc', {}))).toBe('single_sign_on_off')
  })

  it('can be started only by a page of the gateway itself', async () => {
    await using scene = await openSignOnScene(domains)
    const browser = new Browser(scene.gateway)
    expect(codeOf(await browser.ask('POST', '/sign-in/oidc', {}, 'cross-site'))).toBe('cross_site_request')
  })

  it('has a limit of attempts from one address', async () => {
    await using scene = await openSignOnScene(domains)
    const statuses = []
    for (let count = 0; count <= 20; count += 1)
      statuses.push((await new Browser(scene.gateway).ask('POST', '/sign-in/oidc', {})).status)
    expect(statuses.at(-1)).toBe(429)
  })
})
