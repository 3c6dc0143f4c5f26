import { afterAll, beforeAll, expect, it } from 'vitest'
import { personPassword } from '../../support/admin-browser.ts'
import { openScriptedUpstream, sseAnswer } from '../../support/scripted-upstream.ts'
import { takeScreenshot } from '../support/open-console.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
}, 90_000)

afterAll(() => owned?.[Symbol.asyncDispose]())

/** A picture of one pixel. */
const pixel = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

it('a message that is typed just before its user goes to another page is there on the way back', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/playground')
  const message = page.getByLabel('Message to all models')
  await message.fill('Why')
  const keys = page.getByRole('navigation').getByRole('link', { name: 'Keys', exact: true })
  // One step for the page, so that no time is between the text and the link.
  await keys.evaluate((link: HTMLElement) => {
    document.execCommand('insertText', false, ' does it rain?')
    link.click()
  })
  await page.getByRole('heading', { level: 1, name: 'Keys' }).waitFor()
  await page.goBack()
  await expect.poll(() => message.inputValue()).toBe('Why does it rain?')
  await page.reload()
  await expect.poll(() => message.inputValue()).toBe('Why does it rain?')
})

it('pictures that are attached and not sent yet survive a reload', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/playground')
  const pictures = page.getByRole('list', { name: 'Pictures to send' }).getByRole('img')
  await page
    .getByLabel('Add pictures')
    .setInputFiles({ name: 'one.png', mimeType: 'image/png', buffer: pixel })
  await expect.poll(() => pictures.count()).toBe(1)
  await page.reload()
  await expect.poll(() => pictures.count()).toBe(1)
})

it('a conversation whose pictures the browser has no room for is there after a reload, and says what it lacks', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/playground')
  const buffer = Buffer.concat([pixel, Buffer.alloc(4_000_000)])
  const files = ['one.png', 'two.png'].map((name) => ({ name, mimeType: 'image/png', buffer }))
  await page.getByLabel('Add pictures').setInputFiles(files)
  await page.getByLabel('Message to all models').fill('What is this?')
  await page.getByRole('img', { name: 'Picture 2' }).waitFor()
  await page.reload()
  await page.getByText('The browser had no room for the pictures').waitFor()
  expect(await page.getByLabel('Message to all models').inputValue()).toBe('What is this?')
})

it('an answer that the maximum of output tokens cut off says so', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/playground')
  await page.getByText('System prompt, tools and parameters').click()
  await page.getByLabel('Maximum output tokens').fill('2')
  await page.getByLabel('Message to all models').fill('Hello')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Cut off: the maximum number of output tokens was reached.').first().waitFor()
})

it('a question that is sent after the end of the session leads to the sign-in, and is there after it', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/playground')
  await page.getByLabel('Message to all models').fill('Am I still here?')
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByRole('heading', { name: 'Sign in', exact: true }).waitFor()
  await page.getByLabel('Name', { exact: true }).fill('olga')
  await page.getByLabel('Password', { exact: true }).fill(personPassword)
  await page.getByRole('button', { name: 'Sign in', exact: true }).click()
  await page.getByText('Am I still here?').first().waitFor()
})

it('a theme that is chosen in one tab is shown in all tabs', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/playground')
  const other = await page.context().newPage()
  await other.goto(page.url())
  await other.getByRole('button', { name: 'Theme and language' }).click()
  await other.getByRole('menuitem', { name: 'Dark' }).click()
  await expect.poll(() => page.evaluate(() => document.documentElement.dataset['theme'])).toBe('dark')
})

it('an answer that a reload breaks off keeps its text, and does not say that its user stopped it', async () => {
  const first = { index: 0, delta: { role: 'assistant', content: 'Because of' }, finish_reason: null }
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [first] }
  const { promise: never } = Promise.withResolvers<void>()
  await using upstream = await openScriptedUpstream(sseAnswer([`data: ${JSON.stringify(chunk)}\n\n`, never]))
  const channel = `{ name: up, provider: openai-compatible, base_url: "${upstream.origin}/v1", allow_private: true, api_key: sk-up-1234567890, models: [m] }`
  await using other = await openOwnedConsole(`channels: [${channel}]\n`)
  const { page, open } = await other.inBrowser.visit({ name: 'olga' })
  await open('/playground')
  await page.getByLabel('Message to all models').fill('Why does it rain?')
  await page.getByRole('button', { name: 'Send', exact: true }).click()
  await page.getByText('Because of').first().waitFor()
  await page.reload()
  await page.getByText('Broken off, because the page was left or loaded again.').first().waitFor()
  expect(await page.getByText('Because of').count()).toBeGreaterThan(0)
  await takeScreenshot(page, 'answer-of-left-page')
  expect(await page.getByText('Stopped by you.').count()).toBe(0)
})
