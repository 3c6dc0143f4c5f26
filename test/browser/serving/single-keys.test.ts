import { expect, it } from 'vitest'
import { judgePage } from '../support/judge-page.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('single keys do nothing once they are turned off, also after a reload, and the palette still opens', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/keys')
  await page.keyboard.press('?')
  const list = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  const choice = list.getByRole('checkbox', { name: 'Shortcuts of single keys' })
  await choice.uncheck()
  expect(await list.getByText('Search on the page').count()).toBe(0)
  expect(await judgePage(page)).toEqual([])
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })

  await page.reload()
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
  for (const key of ['/', 'g', 'b', '?']) await page.keyboard.press(key)
  expect(await page.evaluate(() => document.activeElement?.tagName)).not.toBe('INPUT')
  await page.keyboard.press('Control+k')
  await page.getByRole('dialog', { name: 'Jump to' }).waitFor()
  expect(new URL(page.url()).pathname).toBe('/console/keys')
  await page.keyboard.press('Escape')

  await page.getByRole('button', { name: 'olga' }).click()
  await page.getByRole('menuitem', { name: 'Keyboard shortcuts' }).click()
  expect(await choice.isChecked()).toBe(false)
  await choice.check()
  await page.keyboard.press('Escape')
  await list.waitFor({ state: 'detached' })
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await page.getByRole('heading', { level: 1, name: 'Budgets' }).waitFor()
})
