import { afterAll, beforeAll, expect, it } from 'vitest'
import { settingsViewSchema } from '../../../src/admin/settings/settings-contract.ts'
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
  const yaml = 'channels: [{ name: demo, provider: demo }]\nqueue: { size: 50 }\n'
  gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  inBrowser = await openConsole(gateway)
}, 180_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

async function findSetting(name: string) {
  const { body } = await createAskAdmin(gateway.url)('GET', '/settings')
  return settingsViewSchema.parse(body).sections.find((section) => section.name === name)
}

it.each([
  { width: 1280, language: 'en' },
  { width: 360, language: 'zh-CN' },
] as const)(
  'a setting is typed, drafted, applied and undone in one click on $width px in $language',
  async ({ width, language }) => {
    const { page, faults, open } = await inBrowser.visit({ name: 'olga', width, language })
    const hands = new Hands(page, language)
    const look = async (name: string) => {
      for (const theme of ['dark', 'light'] as const) {
        await showTheme(page, theme)
        await takeScreenshot(page, `settings-${name}-${width}-${theme}`)
      }
      expect(await judgePage(page), name).toEqual([])
    }
    const openForm = async (name: string, text: 'settings.edit' | 'settings.lines.make') => {
      await page.getByRole('button', { name: `${hands.say(text)}: ${name}`, exact: true }).click()
      await page.getByRole('dialog').waitFor()
    }
    await open('/settings?tab=settings')
    await look('list')

    // A wrong value is said beside its field, and nothing is sent.
    await openForm('retry', 'settings.edit')
    await hands.fill('settings.field.retry.deadline', 'soon')
    await hands.press('settings.edit.submit')
    await page.getByText(hands.say('settings.rule.duration')).waitFor()
    await hands.fill('settings.field.retry.deadline', '2m')
    await hands.fill('settings.field.retry.attempts', '6')
    const preview = page.getByRole('region', { name: hands.say('settings.preview') })
    const deadline = `${hands.say('settings.field.retry.deadline')} ${hands.say('effect.default')} → 2m`
    await preview.getByText(deadline).waitFor()
    await look('form')
    await hands.press('drafts.add')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => findSetting('retry')).toMatchObject({ owner: 'default', value: { attempts: 3 } })

    // The draft is applied, and taken back by the button of what says so.
    await page
      .getByRole('region', { name: hands.say('drafts.bar') })
      .getByRole('link')
      .click()
    await hands.press('drafts.apply')
    await page.getByRole('dialog').getByRole('list').waitFor()
    await hands.press('drafts.apply')
    const undo = page.getByRole('status').getByRole('button', { name: hands.say('drafts.undo'), exact: true })
    await undo.waitFor()
    await expect
      .poll(() => findSetting('retry'))
      .toMatchObject({ owner: 'api', written: { attempts: 6, deadline: '2m' } })
    await undo.click()
    await expect.poll(() => findSetting('retry')).toMatchObject({ owner: 'default', written: null })

    // At once, and back again.
    await open('/settings?tab=settings')
    await openForm('capture', 'settings.edit')
    await hands.choose('settings.field.capture.bodies', 'prompts')
    await hands.press('settings.edit.submit')
    await page.getByRole('dialog').waitFor({ state: 'detached' })
    await expect.poll(() => findSetting('capture')).toMatchObject({ written: { bodies: 'prompts' } })
    await undo.last().click()
    await expect.poll(() => findSetting('capture')).toMatchObject({ written: null })

    // The file has the queue: the form writes the lines.
    await open('/settings?tab=settings')
    await openForm('queue', 'settings.lines.make')
    await hands.fill('settings.field.queue.wait', '20s')
    await page
      .getByRole('dialog')
      .getByText(/queue:\s+size: 50\s+wait: "?20s"?/)
      .waitFor()
    await look('lines')
    expect(faults.found).toEqual([])
  },
  120_000,
)
