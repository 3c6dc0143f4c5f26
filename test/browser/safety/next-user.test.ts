import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { Browser, makeOwner, personPassword, secretOf } from '../../support/admin-browser.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { openConsole } from '../support/open-console.ts'

const yaml = `channels: [{ name: demo, provider: demo }]
groups: { search: { models: ["*"] } }
`

async function signIn(page: Page, name: string): Promise<void> {
  await page.getByLabel('Name', { exact: true }).fill(name)
  await page.getByLabel('Password', { exact: true }).fill(personPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
}

it('the next user of a tab sees nothing that the user before read or typed, whose session has ended', async () => {
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  const owner = await makeOwner(gateway, 'olga')
  const groups = [{ group: 'search' }]
  const invited = await owner.ask('POST', '/users/invite', { name: 'mia', role: 'member', groups })
  await new Browser(gateway).ask('POST', '/links/accept', {
    secret: secretOf(invited),
    password: personPassword,
  })
  await owner.ask('POST', '/keys', { name: 'of-the-board' })
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/keys')
  await page.getByRole('link', { name: 'of-the-board', exact: true }).waitFor()
  await hands.press('keys.create')
  await hands.fill('common.name', 'typed-by-olga')
  await page.context().clearCookies()
  await hands.press('keys.create')
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()

  // The gateway answers nothing about keys yet, so that the page shows only what it has stored.
  const { promise: isSeen, resolve: see } = Promise.withResolvers<undefined>()
  await page.route('**/admin/v1/keys?**', async (route) => {
    await isSeen
    await route.continue()
  })
  await signIn(page, 'mia')
  await page.locator('h1', { hasText: 'Keys' }).waitFor()
  await page.locator('main [aria-busy="true"]').first().waitFor()
  expect(await page.getByText('of-the-board').count()).toBe(0)
  see(undefined)
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('typed-by-olga')
})

it('a user whose session has ended finds what was typed after signing in again', async () => {
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/keys')
  await hands.press('keys.create')
  await hands.fill('common.name', 'typed-by-olga')
  await page.context().clearCookies()
  await hands.press('keys.create')
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  await signIn(page, 'olga')
  await expect.poll(() => hands.field('Name').inputValue()).toBe('typed-by-olga')
})

it('a user who signs out sees the sign-in page, and nothing that was read before', async () => {
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  const owner = await makeOwner(gateway, 'olga')
  await owner.ask('POST', '/keys', { name: 'of-the-board' })
  await using inBrowser = await openConsole(gateway)
  const { page, open, faults } = await inBrowser.visit({ name: 'olga' })
  await open('/keys')
  await page.getByRole('link', { name: 'of-the-board', exact: true }).click()
  const hands = new Hands(page, 'en')
  await hands.press('common.more')
  await page.getByRole('menuitem', { name: hands.say('keys.disable'), exact: true }).click()
  const undo = page.getByRole('button', { name: hands.say('common.undo'), exact: true, includeHidden: true })
  await undo.waitFor()
  await hands.close()
  await page.getByRole('button', { name: 'olga' }).click()
  await page.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  expect(await page.getByText('of-the-board').count()).toBe(0)
  expect(await undo.count()).toBe(0)
  await signIn(page, 'olga')
  await page.getByRole('link', { name: 'of-the-board', exact: true }).waitFor()
  faults.expect(/401/)
  expect(faults.found).toEqual([])
})

it('a tab follows the user who signs out and in in another tab of the browser', async () => {
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  const owner = await makeOwner(gateway, 'olga')
  const invited = await owner.ask('POST', '/users/invite', {
    name: 'mia',
    role: 'member',
    groups: [{ group: 'search' }],
  })
  const secret = secretOf(invited)
  await new Browser(gateway).ask('POST', '/links/accept', { secret, password: personPassword })
  await owner.ask('POST', '/keys', { name: 'of-the-board' })
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/keys')
  await page.getByRole('link', { name: 'of-the-board', exact: true }).waitFor()
  await hands.press('keys.create')
  await hands.fill('common.name', 'typed-by-olga')

  const otherTab = await page.context().newPage()
  await otherTab.goto(`${gateway.url}/console/`)
  await otherTab.getByRole('button', { name: 'olga' }).click()
  await otherTab.getByRole('menuitem', { name: 'Sign out', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  expect(await page.getByText('of-the-board').count()).toBe(0)

  await signIn(otherTab, 'mia')
  await page.getByRole('button', { name: 'mia', includeHidden: true }).waitFor()
  expect(await page.getByText('of-the-board').count()).toBe(0)
  expect(await page.evaluate(() => JSON.stringify(sessionStorage))).not.toContain('typed-by-olga')
})
