import type { Route } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { addUser } from '../../support/admin-browser.ts'
import { Hands } from '../support/hands.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole(
    'channels: [{ name: demo, provider: demo }]\ngroups: { search: { models: ["*"] } }\n',
  )
  const { owner, gateway } = owned
  const groups = [{ group: 'search' }]
  for (const name of ['mia', 'noor']) await addUser(owner, gateway, { name, role: 'member', groups })
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

/** Confirms that a member leaves the group, closes the dialog before the answer, and opens that of another member. */
async function openNextDialog() {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  const { promise: held, resolve: hold } = Promise.withResolvers<Route>()
  await page.route('**/admin/v1/groups/search/members/*', (route) => hold(route))
  await open('/groups?group=search')
  const removal = (name: string) =>
    page.getByRole('listitem').filter({ hasText: name }).getByRole('button', { name: 'Remove', exact: true })
  await removal('mia').click()
  await hands.press('groups.members.remove')
  const first = await held
  await hands.press('common.cancel')
  await removal('noor').click()
  const dialog = page.getByRole('dialog', { name: 'Take noor out of search?' })
  await dialog.waitFor()
  return { page, first, dialog }
}

it('a failure that arrives after its dialog was closed is no text of the dialog that is open then', async () => {
  const { page, first, dialog } = await openNextDialog()
  await first.abort()
  await page
    .getByRole('status')
    .getByText(/Take mia out of search\? .*does not answer/)
    .waitFor()
  expect(await dialog.textContent()).not.toContain('does not answer')
})

it('an action that ends after its dialog was closed leaves the dialog of another action open', async () => {
  const { page, first, dialog } = await openNextDialog()
  await first.continue()
  await page.getByRole('status').getByText('mia is no longer in search').waitFor()
  await page.getByRole('listitem').filter({ hasText: 'mia' }).waitFor({ state: 'detached' })
  // The page has drawn what follows the end of the action.
  for (let frames = 0; frames < 3; frames += 1) await page.evaluate(() => new Promise(requestAnimationFrame))
  expect(await dialog.isVisible()).toBe(true)
})
