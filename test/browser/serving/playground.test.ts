import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BusyGateway, openBusyGateway } from '../../support/console/open-busy-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { judgePage, showTheme, themes } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, settle, takeScreenshot } from '../support/open-console.ts'

let busy: BusyGateway
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  busy = await openBusyGateway({ consoleBuild: buildConsole() })
  inBrowser = await openConsole(busy.gateway)
}, 90_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await busy?.[Symbol.asyncDispose]()
})

it('an owner queries two models at once, sees the time and cost of each answer, and copies the request', async () => {
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  await open('/playground')
  const fields = page.getByRole('combobox', { name: 'Model', exact: true })
  await fields.nth(0).fill('gpt-4o')
  await fields.nth(1).fill('gpt-4o-mini')
  const message = page.getByLabel('Message to all models')
  await message.fill('Why does it rain?')
  await message.press('Control+Enter')
  for (const model of ['gpt-4o', 'gpt-4o-mini']) {
    const answers = page.getByRole('region', { name: `Answers of ${model}`, exact: true })
    await answers.getByText('Rain is water that falls from clouds.').waitFor()
    const figures = answers.getByText(/first token .* in, .* out · \$/)
    // The time of the whole answer follows its text.
    await figures.filter({ hasText: /total .* · by \w+/ }).waitFor()
  }
  expect(await message.inputValue()).toBe('')
  await page.getByRole('button', { name: 'Copy the request to gpt-4o as code', exact: true }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'OpenAI SDK' }).check({ force: true })
  const code = await dialog.textContent()
  expect(code).toContain('client.chat.completions.create({')
  expect(code).toContain('Why does it rain?')
  expect(code).not.toContain('Rain is water')
  expect(await judgePage(page)).toEqual([])
  await takeScreenshot(page, 'playground-snippet')
  await page.keyboard.press('Escape')
  expect(await judgePage(page)).toEqual([])
  for (const theme of themes) {
    await showTheme(page, theme)
    await takeScreenshot(page, `playground-${theme}`)
  }
  await page.reload()
  await settle(page)
  expect(await page.getByText('Rain is water that falls from clouds.').count()).toBe(2)
  expect(faults.found).toEqual([])
}, 90_000)

it('a member uses it on a narrow screen with the models of their group, and without a choice of channels', async () => {
  const { page, faults, open } = await inBrowser.visit({
    name: 'mia',
    width: 360,
    height: 800,
    language: 'zh-CN',
  })
  await open('/playground')
  // The page that was open before has a part of this name.
  const model = page.locator('input').and(page.getByLabel('模型', { exact: true }))
  await model.first().fill('gpt-4o')
  await page.getByText('回答将显示在这里。').first().waitFor()
  expect(await page.getByLabel('渠道', { exact: true }).count()).toBe(0)
  expect(await judgePage(page)).toEqual([])
  await takeScreenshot(page, 'playground-narrow')
  expect(faults.found).toEqual([])
}, 60_000)

it('a viewer, who may not spend, has no link to it and learns why', async () => {
  const { page, faults, open } = await inBrowser.visit({ name: 'vera' })
  await open('/playground')
  await page.getByText('The playground sends requests that cost money').waitFor()
  const navigation = page.getByRole('navigation').getByRole('link')
  expect(await navigation.filter({ hasText: 'Connect' }).count()).toBe(1)
  expect(await navigation.filter({ hasText: 'Playground' }).count()).toBe(0)
  expect(await judgePage(page)).toEqual([])
  expect(faults.found).toEqual([])
}, 60_000)
