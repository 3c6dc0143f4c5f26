import { afterAll, beforeAll, expect, it } from 'vitest'
import { alertRulesSchema, receiverListSchema } from '../../../src/admin/alerts/alert-contract.ts'
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
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  inBrowser = await openConsole(gateway)
}, 180_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

const askRules = async () =>
  alertRulesSchema.parse((await createAskAdmin(gateway.url)('GET', '/alerts/rules')).body)
const askReceivers = async () =>
  receiverListSchema.parse((await createAskAdmin(gateway.url)('GET', '/alerts/receivers')).body).data

it.each([
  { width: 1280, language: 'en' },
  { width: 360, language: 'zh-CN' },
] as const)(
  'rules and receivers are added, changed, turned off and undone on $width px in $language',
  async ({ width, language }) => {
    const { page, faults, open } = await inBrowser.visit({ name: 'olga', width, language })
    const hands = new Hands(page, language)
    const look = async (name: string) => {
      for (const theme of ['dark', 'light'] as const) {
        await showTheme(page, theme)
        await takeScreenshot(page, `alerts-${name}-${width}-${theme}`)
      }
      expect(await judgePage(page), name).toEqual([])
    }
    const closed = () => page.getByRole('dialog').waitFor({ state: 'detached' })
    const undo = () =>
      page
        .getByRole('status')
        .getByRole('button', { name: hands.say('drafts.undo'), exact: true })
        .last()
    const named = (key: Parameters<typeof hands.say>[0], title: string) =>
      page.getByRole('button', { name: `${hands.say(key)}: ${title}`, exact: true })
    await open('/health')

    await hands.press('alerts.rule.add')
    await hands.choose('alerts.rule.word', 'latency')
    await hands.fill('common.name', 'slow')
    await hands.fill('settings.field.rule.above', 'soon')
    await hands.press('alerts.rule.add')
    await page.getByText(hands.say('settings.rule.duration')).waitFor()
    await hands.fill('settings.field.rule.above', '5s')
    await look('rule')
    await hands.press('alerts.rule.add')
    await closed()
    await expect.poll(askRules).toMatchObject({ written: [{ name: 'slow', kind: 'latency', above: '5s' }] })

    // A threshold of a default rule.
    const errors = hands.say('alerts.kind.error-rate')
    await named('alerts.entry.edit', errors).click()
    await hands.fill('settings.field.rule.above', '20')
    await hands.press('alerts.rule.save')
    await closed()
    await expect
      .poll(async () => (await askRules()).written)
      .toContainEqual({
        name: 'error-rate',
        kind: 'error-rate',
        above: 20,
      })

    const unpriced = hands.say('alerts.kind.unpriced')
    await named('alerts.rule.off', unpriced).click()
    await page.getByText(hands.say('effect.rule_off', { rule: unpriced })).waitFor()
    await page.getByRole('dialog').getByRole('list').waitFor()
    await look('off')
    await hands.press('alerts.rule.off')
    await closed()
    await named('alerts.rule.on', unpriced).waitFor()
    await undo().click()
    await named('alerts.rule.off', unpriced).waitFor()

    await hands.press('alerts.receiver.add')
    await hands.choose('alerts.receiver.word', 'slack')
    await hands.fill('common.name', 'ops')
    const address = page.getByRole('textbox', { name: hands.say('settings.field.receiver.url'), exact: true })
    await address.fill('https://hooks.example.com/services/path')
    await look('receiver')
    await hands.press('alerts.receiver.add')
    await page.getByText(hands.say('alerts.receiver.added', { name: 'ops' })).waitFor()
    await page.getByText(hands.say('alerts.receiver.next', { name: 'ops' })).waitFor()
    await look('receiver-added')
    await hands.press('alerts.receiver.next.done')
    await closed()
    await named('alerts.entry.edit', 'ops').click()
    await hands.choose('settings.field.receiver.severity', 'critical')
    await hands.press('alerts.receiver.save')
    await closed()
    await expect
      .poll(askReceivers)
      .toMatchObject([{ name: 'ops', address: 'https://hooks.example.com', severity: 'critical' }])
    await look('page')

    await hands.press('alerts.receiver.add')
    await hands.choose('alerts.receiver.word', 'webhook')
    await hands.fill('common.name', 'hook')
    await address.fill('http://127.0.0.1:9/hook')
    await hands.press('alerts.receiver.add')
    const [label, choice] = [
      hands.say('settings.field.receiver.allow_private'),
      hands.say('settings.choice.true'),
    ]
    await page.getByText(hands.say('alerts.receiver.private', { label, choice })).waitFor()
    await address.fill('https://hooks.example.com/secret-path')
    await hands.press('settings.header.add')
    await hands.fill('settings.header.name', 'x-token')
    await hands.press('alerts.receiver.add')
    await page.getByText(hands.say('settings.rule.header_value')).waitFor()
    await page.getByLabel('x-token', { exact: true }).fill('secret-of-the-header')
    await look('headers')
    expect(await page.evaluate(() => JSON.stringify({ ...sessionStorage, ...localStorage }))).not.toMatch(
      /secret-path|secret-of-the-header/,
    )
    await hands.press('alerts.receiver.add')
    await hands.press('alerts.rule.add')
    await page.getByLabel(hands.say('alerts.rule.word'), { exact: true }).waitFor()
    await hands.press('common.cancel')
    await closed()
    await expect.poll(askReceivers).toMatchObject([{}, { name: 'hook', headers: ['x-token'] }])
    await named('alerts.entry.edit', 'hook').click()
    expect(await page.content()).not.toContain('secret-of-the-header')
    await hands.press('settings.header.add')
    await page.getByLabel(hands.say('settings.header.name'), { exact: true }).last().fill('x-second')
    await page.getByLabel('x-second', { exact: true }).fill('another value')
    await hands.press('alerts.receiver.save')
    await closed()
    await expect.poll(askReceivers).toMatchObject([{}, { headers: ['x-token', 'x-second'] }])
    await named('alerts.entry.edit', 'hook').click()
    await page
      .getByRole('button', { name: hands.say('settings.header.remove'), exact: true })
      .first()
      .click()
    await hands.press('alerts.receiver.save')
    await closed()
    await expect.poll(askReceivers).toMatchObject([{}, { headers: ['x-second'] }])

    const repeat = async () => (await askRules()).repeat
    for (const [typed, inForce] of [
      ['2h', '2h'],
      ['', '1h'],
    ] as const) {
      await named('settings.edit', 'alerts').click()
      await hands.fill('settings.field.alerts.repeat', typed)
      await look('repeat')
      await hands.press('settings.edit.submit')
      await closed()
      await expect.poll(repeat).toBe(inForce)
    }
    expect(await askReceivers()).toMatchObject([{ name: 'ops' }, { name: 'hook' }])

    for (const title of ['ops', 'hook', `${hands.say('alerts.kind.latency')}: slow`, errors]) {
      await named('alerts.entry.remove', title).click()
      await page.getByRole('dialog').getByRole('list').waitFor()
      await hands.press('alerts.entry.remove')
      await closed()
    }
    await expect.poll(askRules).toMatchObject({ owner: 'default', written: [] })
    expect(faults.found.filter((fault) => !fault.includes('400'))).toEqual([])
  },
  120_000,
)

it('a new receiver is refused under a name in use, and the one of that name keeps its address', async () => {
  const admin = createAskAdmin(gateway.url)
  const body = { type: 'webhook', url: 'https://alerts.example.com/first' }
  expect((await admin('PUT', '/alerts/receivers/oncall', { body })).status).toBe(200)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/health')
  await hands.press('alerts.receiver.add')
  await hands.fill('common.name', 'oncall')
  await hands.fill('settings.field.receiver.url', 'https://other.example.com/second')
  await hands.press('alerts.receiver.add')
  await page.getByText(hands.say('alerts.name.in_use', { name: 'oncall' })).waitFor()
  const oncall = (await askReceivers()).find(({ name }) => name === 'oncall')
  expect(oncall?.address).toBe('https://alerts.example.com')
})
