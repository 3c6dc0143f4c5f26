import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { settle } from '../support/open-console.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
  const made = await createAskAdmin(owned.gateway.url)('POST', '/groups', { body: { name: 'search' } })
  if (made.status !== 201) throw new Error(made.text)
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

const nameFocus = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement
    return focused?.id === 'main' ? 'the page' : (focused?.getAttribute('aria-label') ?? focused?.textContent)
  })

async function openRow(page: Page, name: string) {
  await page.getByRole('link', { name, exact: true }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await settle(page)
}

it('Escape closes the details of a row, and its link has the focus again', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/channels')
  await openRow(page, 'demo')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => nameFocus(page)).toBe('demo')
})

it('a dialog that the item of a menu opens returns the focus to the button of the menu', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/keys')
  await page.getByRole('button', { name: 'olga' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).focus()
  await page.keyboard.press('Enter')
  await page.getByRole('dialog').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => nameFocus(page)).toMatch(/olga/)
})

it('the page has the focus once the row that had it is deleted', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/groups')
  await openRow(page, 'search')
  await page.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
  const question = page.getByRole('dialog', { name: 'Delete the group search?' })
  await question.getByRole('button', { name: 'Delete', exact: true }).press('Enter')
  await page.getByRole('link', { name: 'search', exact: true }).waitFor({ state: 'detached' })
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await expect.poll(() => nameFocus(page)).toBe('the page')
})
