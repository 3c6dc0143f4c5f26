import type { Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

const nameFocus = (page: Page) =>
  page.evaluate(() => {
    const focused = document.activeElement
    const isField = focused instanceof HTMLInputElement
    return isField ? focused.labels?.[0]?.textContent : focused?.textContent
  })

async function openKeyForm() {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/keys')
  await page.getByRole('button', { name: 'Make a key' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.waitFor()
  return { page, faults, dialog }
}

it('the button of a form that is refused as a whole keeps the focus', async () => {
  const { page, faults, dialog } = await openKeyForm()
  faults.expect(/429/)
  const error = { message: 'Too many requests.', type: 'rate_limit_error', param: null }
  await page.route('**/admin/v1/keys', (route) =>
    route.request().method() === 'POST'
      ? route.fulfill({ status: 429, json: { error: { ...error, code: 'rate_limit_exceeded' } } })
      : route.continue(),
  )
  await dialog.locator('input[name=name]').fill('ci')
  await dialog.getByRole('button', { name: 'Make a key' }).press('Enter')
  await dialog.getByRole('alert').getByText('Too many requests.').waitFor()
  await expect.poll(() => nameFocus(page)).toBe('Make a key')
  expect(faults.found).toEqual([])
})

it('a form has the focus next to the word or the budget that is removed from it', async () => {
  const { page, faults, dialog } = await openKeyForm()
  const models = dialog.getByRole('combobox', { name: /^Models/ })
  await models.pressSequentially('gpt-4o,')
  await dialog.getByRole('button', { name: 'Remove gpt-4o' }).press('Enter')
  await expect.poll(() => nameFocus(page)).toMatch(/^Models/)
  await dialog.getByRole('button', { name: 'Add a budget' }).press('Enter')
  await dialog.getByRole('button', { name: 'Remove this budget' }).press('Enter')
  await expect.poll(() => nameFocus(page)).toBe('Add a budget')
  expect(faults.found).toEqual([])
})

it('the button that opened a form has the focus once what was typed is discarded', async () => {
  const { page, faults, dialog } = await openKeyForm()
  await dialog.locator('input[name=name]').fill('ci')
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: 'Discard', exact: true }).press('Enter')
  await dialog.first().waitFor({ state: 'detached' })
  await expect.poll(() => nameFocus(page)).toBe('Make a key')
  expect(faults.found).toEqual([])
})
