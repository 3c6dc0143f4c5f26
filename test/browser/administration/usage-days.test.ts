import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { untilAsync } from '../../support/until.ts'
import { buildConsole } from '../support/build-console.ts'
import { type ConsoleInBrowser, openConsole, settle } from '../support/open-console.ts'

let gateway: StartedGateway
let inBrowser: ConsoleInBrowser

const secret = 'sk-ci-0123456789abcdef'
/** Today where the browser of the tests is, which is ahead of UTC. */
const today = new Date().toLocaleDateString('sv', { timeZone: 'Europe/Berlin' })
const [year, month, day] = today.split('-')

beforeAll(async () => {
  const yaml = `channels: [{ name: demo, provider: demo }]
models: { demo-chat: { price: { input: 0.001, output: 0 } } }
keys: [{ name: ci, secret: ${secret}, models: ["*"] }]
`
  gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  const answer = await fetch(`${gateway.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'Why does it rain?' }] }),
  })
  expect(answer.status).toBe(200)
  const admin = createAskAdmin(gateway.url)
  await untilAsync('the request is in the ledger', async () =>
    (await admin('GET', '/usage')).text.includes('"requests":1'),
  )
  inBrowser = await openConsole(gateway)
}, 120_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

it('a day of a report is typed on the keyboard, and the report is asked for that day alone', async () => {
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  await open('/usage?span=custom')
  const asked: string[] = []
  page.on('request', (request) => {
    const { pathname, searchParams } = new URL(request.url())
    if (pathname.endsWith('/usage')) asked.push(searchParams.get('since') ?? '')
  })
  await page.getByLabel('First day').focus()
  await page.keyboard.type(`${month}${day}${year}`, { delay: 50 })
  await expect.poll(() => new URL(page.url()).searchParams.get('since')).toBe(today)
  expect(await page.getByLabel('First day').inputValue()).toBe(today)
  await settle(page)
  expect(asked.filter((since) => since !== today)).toEqual([])
  await page.goto(`${gateway.url}/console/usage?span=custom&since=2026-01-31`)
  await expect.poll(() => page.getByLabel('First day').inputValue()).toBe('2026-01-31')
  expect(faults.found).toEqual([])
})

it('the file of an export is named by the days of the report, opens as UTF-8, and has amounts in digits alone', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  await open(`/usage?span=custom&since=${today}&until=${today}`)
  await page.getByRole('button', { name: 'Export' }).click()
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('menuitem', { name: /CSV/ }).click(),
  ])
  expect(download.suggestedFilename()).toBe(`usage-day-model-${today}-${today}.csv`)
  const [header = '', row = ''] = readFileSync(await download.path(), 'utf8').split('\r\n')
  expect(header).toMatch(/^\uFEFFday,model,/)
  expect(header).toMatch(/,tool_calls,cost_usd,charged_usd$/)
  expect(row).toMatch(/,,0\.0000000\d+,0\.0000000\d+$/)
})

it('the exact spend of the overview is written in digits alone', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  await open('/')
  await page
    .getByTitle(/^\$0\.0000000\d+$/)
    .first()
    .waitFor()
  expect(await page.getByTitle(/\de-/).count()).toBe(0)
})

it('the labels of the axis of a chart are not cut, even of billionths of a dollar', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga', width: 360 })
  await open('/')
  const labels = page.getByRole('img', { name: 'Spend' }).locator('text')
  await labels
    .filter({ hasText: /^\$0\.0000000\d+$/ })
    .first()
    .waitFor()
  const cut = await labels.evaluateAll((all) =>
    all
      .filter(
        (label) => label.getBoundingClientRect().x < (label.closest('svg')?.getBoundingClientRect().x ?? 0),
      )
      .map((label) => label.textContent),
  )
  expect(cut).toEqual([])
})

it.each(['24h', '7d', '30d', '90d'])(
  'the overview of %s begins where the report of usage does, and so does the use of a key',
  async (span) => {
    const { page, open } = await inBrowser.visit({ name: 'olga', timeZone: 'Asia/Kolkata' })
    const readStart = async (path: string) => {
      const [answer] = await Promise.all([
        page.waitForResponse((response) => /\/usage\?.*\bby=/.test(response.url())),
        open(path),
      ])
      const { since }: { readonly since: string } = await answer.json()
      return since
    }
    const start = await readStart(`/usage?span=${span}`)
    expect(await readStart(`/?span=${span}`)).toBe(start)
    if (span === '30d') expect(await readStart('/keys/ci')).toBe(start)
  },
)
