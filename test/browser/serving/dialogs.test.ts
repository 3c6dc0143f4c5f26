import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { judgePage, showTheme } from '../support/judge-page.ts'
import { takeScreenshot } from '../support/open-console.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

const channel = { name: 'openai', provider: 'openai', api_key: 'sk-upstream-0123456789wxyz' }

beforeAll(async () => {
  owned = await openOwnedConsole()
  const made = await createAskAdmin(owned.gateway.url)('POST', '/channels', { body: channel })
  if (made.status !== 201) throw new Error(made.text)
}, 120_000)

afterAll(async () => {
  await owned?.[Symbol.asyncDispose]()
})

/** Where a dialog begins once it has risen to its place. */
async function topOf(dialog: Locator): Promise<number | undefined> {
  await dialog.evaluate((shown) => Promise.allSettled(shown.getAnimations().map(({ finished }) => finished)))
  return (await dialog.boundingBox())?.y
}

/** Whether a button of the open dialog is within the screen, and how far from its lower edge. */
async function roomBelow(page: Page, name: string): Promise<number> {
  const box = await page.getByRole('dialog').getByRole('button', { name, exact: true }).boundingBox()
  return (page.viewportSize()?.height ?? 0) - ((box?.y ?? Number.POSITIVE_INFINITY) + (box?.height ?? 0))
}

it.each([
  {
    width: 1280,
    height: 900,
    language: 'en',
    add: 'Add a channel',
    submit: 'Add the channel',
    refused: ['There is a channel openai already.', 'The channel demo belongs to the configuration file.'],
  },
  {
    width: 360,
    height: 640,
    language: 'zh-CN',
    add: '添加渠道',
    submit: '添加渠道',
    refused: ['已有名为 openai 的渠道', '渠道 demo 属于配置文件'],
  },
] as const)(
  'a dialog of a channel suggests a free name, reports a used name at its field, and shows its buttons on $width px',
  async ({ width, height, language, add, submit, refused }) => {
    const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', width, height, language })
    await open('/channels')
    await page.getByRole('button', { name: add }).first().click()
    const dialog = page.getByRole('dialog')
    const top = await topOf(dialog)
    await dialog.locator('select[name=provider]').selectOption('openai')
    const name = dialog.locator('input[name=name]')
    await expect.poll(() => name.inputValue()).toBe('openai-2')
    await dialog.locator('input[name=api_key]').fill('sk-upstream-0123456789wxyz')
    for (const [index, used] of ['openai', 'demo'].entries()) {
      await name.fill(used)
      await dialog.getByRole('button', { name: submit, exact: true }).click()
      await expect.poll(() => name.getAttribute('aria-invalid')).toBe('true')
      await dialog.getByText(refused[index] ?? '').waitFor()
    }
    expect(await roomBelow(page, submit)).toBeGreaterThan(0)
    expect(await topOf(dialog)).toBe(top)
    expect(await judgePage(page)).toEqual([])
    await showTheme(page, 'light')
    await takeScreenshot(page, `dialog-channel-${width}`)
    expect(faults.found.filter((fault) => !fault.includes('409'))).toEqual([])
  },
)

it('an open dialog is modal: the keyboard focus stays in it, and the skip link cannot have it', async () => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', width: 360, height: 640 })
  await open('/channels')
  await page.getByRole('button', { name: 'Add a channel' }).first().click()
  const dialog = page.getByRole('dialog')
  await topOf(dialog)
  expect(await dialog.getAttribute('aria-modal')).toBe('true')
  const skipLink = page.locator('a', { hasText: 'Skip to the content' })
  await skipLink.evaluate((link) => link.focus())
  const hasFocus = () => dialog.evaluate((shown) => shown.contains(document.activeElement))
  expect(await hasFocus()).toBe(true)
  for (let pressed = 0; pressed < 30; pressed += 1) {
    await page.keyboard.press('Shift+Tab')
    expect(await hasFocus()).toBe(true)
  }
  expect(faults.found).toEqual([])
})

it.each([
  { language: 'en', add: 'Add an alias', keep: 'Keep editing', discard: 'Discard' },
  { language: 'zh-CN', add: '添加别名', keep: '继续编辑', discard: '放弃' },
] as const)('a dialog with typed text is discarded only after a question, in $language', async (texts) => {
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', language: texts.language })
  await open('/models')
  const add = page.getByRole('button', { name: texts.add }).first()
  await add.click()
  const name = page.locator('input[name=name]')
  await name.waitFor()
  await page.keyboard.press('Escape')
  await name.waitFor({ state: 'detached' })

  await add.click()
  await name.fill('smart')
  await page.keyboard.press('Escape')
  const discard = page.getByRole('button', { name: texts.discard, exact: true })
  await discard.waitFor()
  expect(await judgePage(page)).toEqual([])
  await showTheme(page, 'light')
  await takeScreenshot(page, `dialog-discard-${texts.language}`)
  await page.getByRole('button', { name: texts.keep, exact: true }).click()
  await discard.waitFor({ state: 'detached' })
  expect(await name.inputValue()).toBe('smart')
  await expect.poll(() => name.evaluate((input) => document.activeElement === input)).toBe(true)
  await page.keyboard.press('Escape')
  await discard.click()
  await name.waitFor({ state: 'detached' })
  await add.click()
  expect(await name.inputValue()).toBe('')
  expect(faults.found).toEqual([])
})

it('the user menu changes the language, named in both', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/keys')
  await page.getByRole('button', { name: 'olga' }).click()
  await page.getByText('Language / 语言').waitFor()
  await page.getByRole('menuitem', { name: '简体中文' }).click()
  await page.getByRole('heading', { level: 1, name: '密钥' }).waitFor()
})
