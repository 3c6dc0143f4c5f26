import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { type StartedGateway, startGateway, testKey } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { judgePage, showTheme } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, takeScreenshot } from '../support/open-console.ts'

let gateway: StartedGateway
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  const yaml = `channels: [{ name: demo, provider: demo }]
keys:
  - { name: a-key-with-a-name-that-is-long-enough-to-be-cut-off, secret: ${testKey}, models: ["*"], group: search }
  - { name: plain, secret: sk-plain-0123456789abcdef, models: ["*"] }
groups: { search: { models: ["*"] }, web: { models: ["*"] } }
capture: { groups: { search: both } }
`
  gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  for (const key of [testKey, 'sk-plain-0123456789abcdef']) await send(key)
  inBrowser = await openConsole(gateway)
}, 180_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

async function send(key: string): Promise<void> {
  const response = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }),
  })
  await response.text()
  expect(response.status).toBe(200)
}

it.each([
  { width: 1280, language: 'en' },
  { width: 360, language: 'zh-CN' },
] as const)(
  'rows of requests, keys and groups show that they are captured on $width px in $language',
  async ({ width, language }) => {
    const admin = createAskAdmin(gateway.url)
    await expect
      .poll(async () => (await admin('GET', '/requests')).body)
      .toMatchObject({ data: [{ captured: false }, { captured: true }] })
    const { page, faults, open } = await inBrowser.visit({ name: 'olga', width, language })
    const hands = new Hands(page, language)
    const pages = [
      ['requests', hands.say('capture.mark')],
      ['keys', hands.say('capture.of.both')],
      ['groups', hands.say('capture.of.both')],
    ] as const
    for (const [name, text] of pages) {
      await open(`/${name}`)
      const rows = page.getByRole('main').getByRole('row')
      await expect.poll(() => rows.count()).toBe(3)
      await expect.poll(() => rows.filter({ hasText: text }).count()).toBe(1)
      for (const theme of ['light', 'dark'] as const) {
        await showTheme(page, theme)
        await takeScreenshot(page, `capture-${name}-${width}-${theme}`)
      }
      expect(await judgePage(page), name).toEqual([])
    }
    await open('/requests')
    if (width < 640) await hands.press('filter.more')
    await page.getByRole('combobox', { name: hands.say('capture.label'), exact: true }).selectOption('true')
    await expect.poll(() => page.getByRole('main').getByRole('row').count()).toBe(2)
    expect(page.url()).toMatch(/captured=(%22)?true/)
    await takeScreenshot(page, `capture-filter-${width}`)
    expect(await judgePage(page), 'filter').toEqual([])
    expect(faults.found).toEqual([])
  },
  120_000,
)
