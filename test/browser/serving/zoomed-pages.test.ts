import { afterAll, beforeAll, expect, it } from 'vitest'
import { findBarriers, findOverflow } from '../support/judge-page.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

/** A window of 1280 px at a zoom of 400 %. */
const zoomed = { width: 320, height: 256 }

it.each([{ language: 'en' }, { language: 'zh-CN' }] as const)(
  'no page is wider than a screen of 320 px, in $language',
  async ({ language }) => {
    const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', language, ...zoomed })
    for (const path of ['/', '/requests', '/usage', '/models', '/health', '/connect', '/settings']) {
      await open(path)
      expect(await findOverflow(page)).toEqual([])
    }
    expect(faults.found).toEqual([])
  },
)

it('the keyboard scrolls a dialog that is higher than the screen', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', width: 640, height: 400 })
  await open('/keys')
  await page.keyboard.press('?')
  const text = page.locator('[data-dialog-body]')
  await text.waitFor()
  expect(await findBarriers(page)).toEqual([])
  await page.keyboard.press('Tab')
  await page.keyboard.press('Tab')
  await page.keyboard.press('End')
  await expect.poll(() => text.evaluate((shown) => shown.scrollTop)).toBeGreaterThan(0)
  expect(faults.found).toEqual([])
})

it('a message stays while the keyboard is on its button, and closes after that', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  await page.clock.install()
  await open('/health')
  await page.getByRole('button', { name: /^Turn off: Disk/ }).press('Enter')
  await page.getByRole('dialog').getByRole('button', { name: 'Turn off', exact: true }).press('Enter')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  // The button that opened the question is gone, so that the page has the focus.
  await page.locator('#main:focus').waitFor()
  const undo = page.getByRole('button', { name: 'Undo', exact: true })
  await undo.focus()
  await page.clock.fastForward(30_000)
  expect(await undo.count()).toBe(1)
  await page.locator('#main').focus()
  await page.clock.fastForward(30_000)
  await undo.waitFor({ state: 'detached' })
  expect(faults.found).toEqual([])
})
