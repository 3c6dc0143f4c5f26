import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addUser } from '../../support/admin-browser.ts'
import { openSignOnScene, type SignOnScene, verified } from '../../support/single-sign-on/open-scene.ts'
import { buildConsole } from '../support/build-console.ts'
import { judgePage } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, takeScreenshot } from '../support/open-console.ts'

let scene: SignOnScene
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  const signIn = '  second_factor: [viewer]'
  const oidc = 'domains: [example.com]\nlabel: Company\nrole_claim: roles\ndefault_role: member'
  scene = await openSignOnScene(oidc, { consoleBuild: buildConsole(), signIn })
  inBrowser = await openConsole(scene.gateway)
  scene.provider.accounts.set('anna', { claims: { ...verified('anna@example.com'), roles: ['admin'] } })
  scene.provider.accounts.set('vera', { claims: { ...verified('vera@example.com'), roles: ['viewer'] } })
  scene.provider.accounts.set('eve', { claims: verified('eve@evil.example') })
}, 120_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await scene?.[Symbol.asyncDispose]()
})

describe('the console with single sign-on', () => {
  it('signs a user in by the button, returns to the requested page, and shows the identity', async () => {
    scene.provider.signInAs = 'anna'
    const { page, faults, open } = await inBrowser.visit()
    faults.expect(/401/)
    await open('/keys?status=active')
    await takeScreenshot(page, 'sso-sign-in')
    expect(await judgePage(page)).toEqual([])
    await page.getByRole('button', { name: 'Continue with Company' }).click()
    await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
    await page.waitForURL((url) => url.pathname === '/console/keys')
    await expect.poll(() => page.url()).not.toMatch(/code=|state=/)
    await open('/account')
    await page.getByText(scene.provider.issuer).waitFor()
    await takeScreenshot(page, 'sso-account')
    expect(await judgePage(page)).toEqual([])
    expect(faults.found).toEqual([])
  })

  it.each([
    ['en', 'Ask an owner or an admin for an invitation'],
    ['zh-CN', '请向所有者或管理员索取邀请'],
  ] as const)('says in %s what to do after a refusal', async (language, text) => {
    scene.provider.signInAs = 'eve'
    const { page, faults, open } = await inBrowser.visit({ language, width: 360, theme: 'dark' })
    faults.expect(/401/)
    await open('/')
    await page.getByRole('button', { name: 'Company' }).click()
    await page.getByText(text).waitFor()
    await takeScreenshot(page, `sso-refused-${language}`)
    expect(await judgePage(page)).toEqual([])
    expect(faults.found).toEqual([])
  })

  it('says what to do if the URL has an invalid outcome, and runs none of it', async () => {
    const { page, faults, open } = await inBrowser.visit()
    await open('/single-sign-on?outcome=%3Cimg%20src%3Dx%20onerror%3Dalert(1)%3E')
    await page.getByText('The sign-in did not succeed').waitFor()
    expect(faults.found).toEqual([])
  })

  it('leads a user whose role requires a second factor through its setup', async () => {
    scene.provider.signInAs = 'vera'
    const { page, faults, open } = await inBrowser.visit()
    faults.expect(/40[13]/)
    await open('/')
    await page.getByRole('button', { name: 'Continue with Company' }).click()
    await page.getByRole('heading', { level: 1, name: 'Set up a second factor' }).waitFor()
    expect(await judgePage(page)).toEqual([])
    await page.getByRole('button', { name: 'Set it up' }).click()
    await page.getByRole('img', { name: 'QR code' }).waitFor()
    await takeScreenshot(page, 'sso-enrolment')
    expect(await judgePage(page)).toEqual([])
    expect(faults.found).toEqual([])
  })

  it('shows owners the identity of a user, and unlinks it', async () => {
    await addUser(scene.owner, scene.gateway, { role: 'member', name: 'mia' })
    const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
    await open('/users')
    await page.getByRole('link', { name: 'anna@example.com' }).first().click()
    const sheet = page.getByRole('dialog')
    await sheet.getByText(scene.provider.issuer).waitFor()
    await takeScreenshot(page, 'sso-user')
    await sheet.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Unlink the identity' }).click()
    await page.getByRole('button', { name: 'Unlink the identity' }).click()
    await page.getByText('The identity of anna@example.com is unlinked.').waitFor()
    expect(faults.found).toEqual([])
  })
})
