import { afterAll, beforeAll, expect, it, onTestFailed } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { judgePage, showTheme } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, takeScreenshot } from '../support/open-console.ts'

let gateway: StartedGateway
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  const yaml = `channels: [{ name: demo, provider: demo }]
users: { of-the-file: { budgets: [{ limit_usd: 3, window: day }] } }
`
  gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  inBrowser = await openConsole(gateway)
}, 120_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

it.each([
  { width: 1280, language: 'en' },
  { width: 360, language: 'zh-CN' },
] as const)(
  'the limits of a user are set, changed in a draft and cleared on $width px in $language',
  async ({ width, language }) => {
    const admin = createAskAdmin(gateway.url)
    const limitsOf = async () => (await admin('GET', '/user-limits?name=olga')).body
    const { page, faults, open } = await inBrowser.visit({ name: 'olga', width, language })
    const hands = new Hands(page, language)
    onTestFailed(async () => {
      process.stderr.write(`${await takeScreenshot(page, `user-limits-failed-${width}`)}\n`)
    })
    const look = async (name: string) => {
      for (const theme of ['light', 'dark'] as const) {
        await showTheme(page, theme)
        await takeScreenshot(page, `user-limits-${name}-${width}-${theme}`)
      }
      const problems = await judgePage(page)
      expect(problems, `${name}: ${problems.join('\n')}`).toEqual([])
    }
    await open('/users?user=olga')
    await hands.press('users.limits.set')
    await hands.press('budget.add')
    await hands.fill('budget.limit', '25')
    await hands.fill('rate.rpm', '60')
    await hands.fill('rate.tpm', '9000')
    await look('form')
    await hands.press('users.limits.save')
    await expect.poll(limitsOf).toMatchObject({
      data: [{ budgets: [{ limit_usd: 25, window: 'month' }], rate: { rpm: 60, tpm: 9000 }, owner: 'api' }],
    })
    // What no form shows stays through each change.
    await admin('PATCH', '/user-limits/olga', { body: { rate: { input_tpm: 5000 } } })
    await open('/users?user=olga')
    await page.getByRole('dialog').getByText('$25.00').first().waitFor()
    await look('sheet')

    await hands.press('users.limits.edit')
    await look('edit')
    await hands.fill('rate.tpm', '')
    await hands.press('drafts.add')
    const draft = page.getByRole('status').getByRole('button', { name: hands.say('drafts.review') })
    await draft.first().click()
    await page.getByRole('list', { name: hands.say('effect.title'), exact: true }).waitFor()
    await look('draft')
    await hands.press('drafts.apply')
    await hands.press('drafts.apply')
    await expect.poll(async () => JSON.stringify(await limitsOf())).not.toContain('"tpm"')
    expect(await limitsOf()).toMatchObject({ data: [{ rate: { rpm: 60, input_tpm: 5000 } }] })

    await open('/users?tab=limits')
    await expect.poll(() => page.getByRole('main').getByRole('row').count()).toBe(3)
    await look('list')
    await page.getByRole('link', { name: 'of-the-file' }).click()
    await page.getByRole('dialog').getByText(hands.say('owner.file.advice')).waitFor()
    await hands.close()
    await admin('PATCH', '/user-limits/olga', { body: { rate: null } })
    await open('/users?tab=limits&limits=olga')
    await hands.press('users.limits.edit')
    await hands.press('budget.remove')
    await hands.press('users.limits.save')
    await expect.poll(limitsOf).toMatchObject({ data: [] })
    await page.getByRole('dialog').getByText(hands.say('users.limits.none')).waitFor()
    expect(faults.found).toEqual([])
  },
  120_000,
)
