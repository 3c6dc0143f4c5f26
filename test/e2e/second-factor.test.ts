import { describe, expect, it } from 'vitest'
import { totpStepAt, writeTotpCode } from '../../src/access/people/totp.ts'
import { addUser, type Browser, codeOf, makeOwner, secretOf } from '../support/admin-browser.ts'
import { createAskAdmin } from '../support/ask-admin.ts'
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts'
import { openSignOnScene, verified } from '../support/single-sign-on/open-scene.ts'
import { startGateway } from '../support/start-gateway.ts'

const requiring = `channels: [{ name: demo, provider: demo }]
sign_in: { second_factor: [owner, admin] }
`

/** Sets a second factor up; gives what writes the code of the next time step. */
async function enrol(browser: Browser, clock: FakeClock): Promise<() => string> {
  const started = await browser.ask('POST', '/me/totp', {})
  expect(started.status).toBe(200)
  const bytes = readBase32((started.body as { readonly secret: string }).secret)
  const write = () => {
    clock.advance(30_000)
    return writeTotpCode(bytes, totpStepAt(clock.nowMs()))
  }
  expect((await browser.ask('POST', '/me/totp/confirm', { code: write() })).status).toBe(200)
  return write
}

function readBase32(text: string): Buffer {
  const bits = [...text].map((each) =>
    'abcdefghijklmnopqrstuvwxyz234567'.indexOf(each).toString(2).padStart(5, '0'),
  )
  const bytes = bits.join('').match(/.{8}/g) ?? []
  return Buffer.from(bytes.map((each) => Number.parseInt(each, 2)))
}

describe('a second factor that a role requires', () => {
  it('comes before everything but its setup, and cannot be turned off', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(requiring, undefined, { clock })
    const owner = await makeOwner(gateway)
    expect((await owner.ask('GET', '/me')).body).toMatchObject({ missing_factor: 'enrolment' })
    for (const [method, path] of [
      ['GET', '/keys'],
      ['POST', '/users/invite'],
      ['GET', '/sessions'],
      ['DELETE', '/me/totp'],
      ['POST', '/me/password'],
    ] as const) {
      expect(codeOf(await owner.ask(method, path, method === 'POST' ? {} : undefined))).toBe(
        'second_factor_required',
      )
    }
    await enrol(owner, clock)
    expect((await owner.ask('GET', '/me')).body).toMatchObject({
      missing_factor: null,
      second_factor: true,
      second_factor_required: true,
    })
    expect((await owner.ask('GET', '/keys')).status).toBe(200)
    expect(codeOf(await owner.ask('DELETE', '/me/totp'))).toBe('second_factor_required')
  })

  it('is required only of that role, from the next request on, and not of tokens', async () => {
    const clock = createFakeClock(Date.now())
    await using gateway = await startGateway(requiring, undefined, { clock })
    const owner = await makeOwner(gateway)
    await enrol(owner, clock)
    const mia = await addUser(owner, gateway, { role: 'member', name: 'mia' })
    expect((await mia.ask('GET', '/keys')).status).toBe(200)
    const token = secretOf(await mia.ask('POST', '/tokens', { name: 't', scopes: ['keys:read'] }))
    expect((await owner.ask('PATCH', '/users/mia', { role: 'admin' })).status).toBe(200)
    expect(codeOf(await mia.ask('GET', '/keys'))).toBe('second_factor_required')
    const byToken = createAskAdmin(gateway.url, token)
    expect((await byToken('GET', '/keys')).status).toBe(200)
    // The admin token is no session: nobody is locked out.
    expect((await createAskAdmin(gateway.url)('GET', '/users')).status).toBe(200)
  })
})

describe('a second factor of a user who signs in through the identity provider', () => {
  const claims = verified('anna@example.com')

  it('is required here before anything else, if the provider did not require it', async () => {
    const clock = createFakeClock(Date.now())
    await using scene = await openSignOnScene('domains: [example.com]', { clock })
    const first = await scene.arrive('anna', claims)
    const code = await enrol(first.browser, clock)
    const { browser } = await scene.arrive('anna', claims)
    expect((await browser.ask('GET', '/me')).body).toMatchObject({ missing_factor: 'code' })
    expect(codeOf(await browser.ask('GET', '/keys'))).toBe('code_required')
    expect(codeOf(await browser.ask('DELETE', '/me/totp'))).toBe('code_required')
    expect(codeOf(await browser.ask('POST', '/sign-in/code', { code: '000000' }))).toBe('code_required')
    const shown = await browser.ask('POST', '/sign-in/code', { code: code() })
    expect(shown).toMatchObject({ status: 200, body: { missing_factor: null } })
    expect((await browser.ask('GET', '/keys')).status).toBe(200)
  })

  it('cannot be guessed: wrong codes have to wait', async () => {
    const clock = createFakeClock(Date.now())
    await using scene = await openSignOnScene('domains: [example.com]', { clock })
    await enrol((await scene.arrive('anna', claims)).browser, clock)
    const { browser } = await scene.arrive('anna', claims)
    const codes = []
    for (let count = 0; count < 8; count += 1)
      codes.push(codeOf(await browser.ask('POST', '/sign-in/code', { code: '000000' })))
    expect(codes.at(-1)).toBe('too_many_sign_ins')
  })

  it('is left to the provider if its token confirms it, or if the configuration does', async () => {
    const clock = createFakeClock(Date.now())
    const signIn = '  second_factor: [member]'
    await using scene = await openSignOnScene('domains: [example.com]', { clock, signIn })
    const without = await scene.arrive('anna', claims, ['pwd'])
    expect((await without.browser.ask('GET', '/me')).body).toMatchObject({ missing_factor: 'enrolment' })
    const withOne = await scene.arrive('anna', claims, ['pwd', 'otp'])
    expect((await withOne.browser.ask('GET', '/keys')).status).toBe(200)
    const trusted = 'domains: [example.com]\nsecond_factor: provider'
    await using other = await openSignOnScene(trusted, { signIn })
    const { browser } = await other.arrive('anna', claims)
    expect((await browser.ask('GET', '/keys')).status).toBe(200)
  })
})
