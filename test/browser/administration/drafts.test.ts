import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { judgePage, showTheme } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, settle, takeScreenshot } from '../support/open-console.ts'

let gateway: StartedGateway
let inBrowser: ConsoleInBrowser

const channels = [
  { name: 'openai', provider: 'openai-compatible', base_url: 'https://openai.example/v1' },
  { name: 'azure', provider: 'openai-compatible', base_url: 'https://azure.example/v1' },
].map((channel) => ({ ...channel, api_key: 'sk-upstream-0123456789wxyz', models: ['gpt-4o', 'o3'] }))

beforeAll(async () => {
  const consoleBuild = buildConsole()
  gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n', undefined, { consoleBuild })
  await makeOwner(gateway, 'olga')
  const admin = createAskAdmin(gateway.url)
  const document = {
    channels,
    models: { fast: { targets: [{ use: 'openai/gpt-4o', weight: 9 }, 'azure/gpt-4o'] } },
    groups: { search: { models: ['*'] } },
  }
  const made = await admin('PUT', '/config', { body: { document } })
  if (made.status !== 200) throw new Error(made.text)
  for (const name of ['app', 'web'])
    await admin('POST', '/keys', { body: { name, models: ['gpt-4o', 'fast'], group: 'search' } })
  inBrowser = await openConsole(gateway)
}, 120_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

it.each([
  { width: 1280, language: 'en', add: 'Add to draft', review: 'Review', apply: 'Apply', undo: 'Undo' },
  { width: 360, language: 'zh-CN', add: '加入草稿', review: '查看', apply: '应用', undo: '撤销' },
] as const)(
  'a change of several objects is drafted, reviewed, applied and undone on $width px in $language',
  async ({ width, language, add, review, apply, undo }) => {
    const { page, faults, open } = await inBrowser.visit({ name: 'olga', width, language })
    const admin = createAskAdmin(gateway.url)
    const versionOf = async () => (await admin('GET', '/config')).body as { version: number }
    const { version } = await versionOf()
    const look = async (name: string) => {
      await showTheme(page, 'light')
      await takeScreenshot(page, `drafts-${name}-${width}`)
      expect(await judgePage(page), name).toEqual([])
    }
    await open('/groups')
    await page.getByRole('main').getByRole('link', { name: 'search' }).first().click()
    await page
      .getByRole('dialog')
      .getByRole('button')
      .filter({ hasText: /Edit|编辑/ })
      .first()
      .click()
    const field = page.getByRole('dialog').locator('input').first()
    await field.fill('o3')
    await field.press('Enter')
    await look('form')
    await page.getByRole('dialog').getByRole('button', { name: add }).click()
    await page
      .getByRole('status')
      .getByText(/draft “|草稿“/)
      .waitFor()
    // The draft is in force nowhere yet, and stands above every page.
    await expect.poll(versionOf).toMatchObject({ version })
    await open('/models')
    await page.getByRole('main').getByRole('link', { name: 'fast' }).first().click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /More actions|操作/ })
      .click()
    await page.getByRole('menuitem').last().click()
    await page
      .getByRole('alertdialog')
      .or(page.getByRole('dialog'))
      .last()
      .getByText(/fast/)
      .first()
      .waitFor()
    await page.getByRole('list', { name: /What it does|影响/ }).waitFor()
    await look('removal')
    await page.getByRole('button', { name: add }).last().click()
    await page
      .getByRole('status')
      .getByText(/draft “|草稿“/)
      .waitFor()
    await open('/channels')
    await page
      .getByRole('region', { name: /Open draft|打开的草稿/ })
      .getByRole('link', { name: review })
      .click()
    await page.getByRole('list', { name: /What it does|影响/ }).waitFor()
    await settle(page)
    const effects = page.getByRole('list', { name: /What it does|影响/ })
    await expect
      .poll(() => effects.getByRole('listitem').allInnerTexts())
      .toEqual(expect.arrayContaining([expect.stringContaining('fast'), expect.stringContaining('app, web')]))
    await look('review')
    await page.getByRole('main').getByRole('button', { name: apply, exact: true }).click()
    await page.getByRole('dialog').getByRole('list').waitFor()
    await look('apply')
    await page.getByRole('dialog').getByRole('button', { name: apply, exact: true }).click()
    await page.getByRole('status').getByRole('button', { name: undo, exact: true }).click()
    await page.getByText(/is undone|已撤销/).waitFor()
    await expect.poll(versionOf).toMatchObject({
      version: version + 2,
      document: { models: { fast: {} }, groups: { search: { models: ['*'] } } },
    })
    await look('empty')
    await open('/settings?tab=versions')
    await page
      .getByRole('main')
      .getByRole('link', { name: String(version + 2), exact: true })
      .click()
    await page
      .getByRole('dialog')
      .getByRole('button', { name: /Undo this version|撤销此版本/ })
      .click()
    await page.getByRole('heading', { name: /What it does|影响/ }).waitFor()
    await look('undo')
    expect(faults.found).toEqual([])
  },
  120_000,
)
