import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BusyGateway, openBusyGateway } from '../../support/console/open-busy-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { judgePage, showTheme, themes } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, takeScreenshot } from '../support/open-console.ts'

let busy: BusyGateway
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  busy = await openBusyGateway({ days: 1, consoleBuild: buildConsole() })
  inBrowser = await openConsole(busy.gateway)
}, 90_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await busy?.[Symbol.asyncDispose]()
})

it('an admin tests a channel in its sheet and sees by icons and sentences what works', async () => {
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  await open('/channels')
  await page.getByRole('link', { name: 'demo' }).click()
  const section = page.getByRole('region', { name: 'What works' })
  await section.getByRole('button', { name: /^Test/ }).click()
  await section
    .getByText(/^Tested/)
    .first()
    .waitFor({ timeout: 30_000 })
  const row = page.getByRole('list', { name: 'What works on demo-chat' })
  expect(await row.getByRole('listitem').first().textContent()).toBe('Chatworks')
  const chat = section.getByRole('listitem').filter({ has: row })
  await chat.getByText('Findings and evidence').click()
  expect(
    await chat.getByText('It called the tool with arguments that fit, and answered from the result.').count(),
  ).toBe(1)
  expect(await judgePage(page)).toEqual([])
  for (const theme of themes) {
    await showTheme(page, theme)
    await takeScreenshot(page, `certification-sheet-${theme}`)
  }
  await open('/channels')
  expect(await judgePage(page)).toEqual([])
  for (const theme of themes) {
    await showTheme(page, theme)
    await takeScreenshot(page, `certification-list-${theme}`)
  }
  const again = await inBrowser.visit({
    name: 'olga',
    theme: 'dark',
    width: 360,
    height: 800,
    language: 'zh-CN',
  })
  await again.open('/channels')
  await again.page.getByRole('link', { name: 'demo' }).click()
  await again.page.getByRole('button', { name: '重新测试' }).first().waitFor()
  expect(await judgePage(again.page)).toEqual([])
  await takeScreenshot(again.page, 'certification-sheet-narrow')
  expect([...faults.found, ...again.faults.found]).toEqual([])
}, 90_000)
