import { afterAll, beforeAll, expect, it } from 'vitest'
import { alertListSchema } from '../../../src/admin/alerts/alert-contract.ts'
import { addUser, type Browser, makeOwner } from '../../support/admin-browser.ts'
import { callModel } from '../../support/call-model.ts'
import { jsonAnswer, openScriptedUpstream, type ScriptedUpstream } from '../../support/scripted-upstream.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import { type ConsoleInBrowser, openConsole, takeScreenshot } from '../support/open-console.ts'

const SECRET = 'sk-ci-0123456789abcdef'

let upstream: ScriptedUpstream
let gateway: StartedGateway
let inBrowser: ConsoleInBrowser
let owner: Browser

beforeAll(async () => {
  upstream = await openScriptedUpstream(() => jsonAnswer({ error: { message: 'Wrong key.' } }, 401))
  gateway = await startGateway(
    `channels:
  - { name: old-account, provider: openai-compatible, base_url: "${upstream.origin}/v1", allow_private: true, api_key: sk-up-1234567890, models: [gpt] }
  - { name: idle, provider: demo, models: [demo-chat] }
groups: { search: { budgets: [{ limit_usd: 40, window: month }] }, free: {} }
keys:
  - { name: ci, secret: ${SECRET}, models: ["*"] }
  - { name: old-grant, secret: ${SECRET}-old, models: [gone, gpt], budgets: [{ limit_usd: 5, window: day }], rate: { rpm: 60 } }
`,
    undefined,
    { consoleBuild: buildConsole() },
  )
  owner = await makeOwner(gateway, 'olga')
  await addUser(owner, gateway, { name: 'vera', role: 'viewer' })
  expect((await callModel(gateway, SECRET, 'gpt')).status).toBeGreaterThanOrEqual(400)
  inBrowser = await openConsole(gateway)
}, 180_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
  await upstream?.[Symbol.asyncDispose]()
})

it.each([
  { name: 'olga', language: 'en', title: 'health.needs_you' },
  { name: 'vera', language: 'zh-CN', title: 'health.needs_operator' },
] as const)(
  'the health page says to $name who must act, when the next attempt is, and where to handle an alert',
  async ({ name, language, title }) => {
    const { page, faults, open } = await inBrowser.visit({ name, language })
    const hands = new Hands(page, language)
    await open('/health')
    await page.getByRole('heading', { name: hands.say(title), exact: true }).waitFor()
    const retry = hands.say('health.reason_and_retry', { reason: hands.say('health.reason.refused') })
    await page
      .getByText(retry.split('{')[0] ?? '', { exact: false })
      .first()
      .waitFor()
    const link = page.getByRole('link', { name: hands.say('alerts.open.channel', { name: 'old-account' }) })
    await link.waitFor()
    expect(await page.locator('main').innerText()).not.toContain('headgate health')
    expect(await judgePage(page)).toEqual([])
    await link.click()
    await page.getByRole('dialog', { name: 'old-account' }).waitFor()
    expect(faults.found).toEqual([])
  },
)

it('the list of groups shows the budget of each', async () => {
  const { page, open } = await inBrowser.visit({ name: 'vera' })
  await open('/groups')
  await page.getByRole('columnheader', { name: 'Budget', exact: true }).waitFor()
  await page.getByRole('row').filter({ hasText: 'search' }).getByText('/ $40.00 a month').waitFor()
})

it.each([
  { name: 'olga', language: 'en' },
  { name: 'vera', language: 'zh-CN' },
] as const)(
  'a key shows to $name, in $language, which of its grants have no effect',
  async ({ name, language }) => {
    const { page, faults, open } = await inBrowser.visit({ name, language })
    const hands = new Hands(page, language)
    await open('/keys')
    await page.getByRole('link', { name: 'old-grant' }).click()
    const said = hands.say('keys.warning.unserved_model', { model: 'gone' })
    await page.getByRole('dialog').getByText(said).waitFor()
    expect(await judgePage(page)).toEqual([])
    expect(faults.found).toEqual([])
  },
)

it.each(['en', 'zh-CN'] as const)('the audit log says what changed, in %s', async (language) => {
  const { page, faults, open } = await inBrowser.visit({ name: 'olga', language })
  const hands = new Hands(page, language)
  await open('/audit?action=user.create')
  const name = hands.say('audit.detail.name', { value: 'vera' })
  const role = hands.say('audit.detail.role', { value: hands.say('role.viewer') })
  await page.getByText(`${name} · ${role}`).waitFor()
  await page.getByRole('row').filter({ hasText: name }).getByRole('link').click()
  await page.getByRole('dialog').getByText(role, { exact: true }).waitFor()
  expect(await judgePage(page)).toEqual([])
  expect(faults.found).toEqual([])
})

it('the audit log describes the limits of a key in words', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga', language: 'zh-CN' })
  const hands = new Hands(page, 'zh-CN')
  await open('/audit?action=key.create')
  await page.getByText(`${hands.say('rate.rpm')}: 60`).waitFor()
  const table = await page.getByRole('main').innerText()
  expect(table).toContain(hands.say('budget.mode.exact'))
  expect(table).not.toMatch(/[{}]/)
})

it('a channel without a call since the start does not say that it was never used', async () => {
  const { page, open } = await inBrowser.visit({ name: 'vera' })
  await open('/channels')
  await page.getByRole('row').filter({ hasText: 'idle' }).getByText('Not used since the start').waitFor()
  await takeScreenshot(page, 'idle-channel')
})

it('a budget names its window in the language of the page', async () => {
  const { page, open } = await inBrowser.visit({ name: 'vera', language: 'zh-CN' })
  const hands = new Hands(page, 'zh-CN')
  await open('/budgets?budget=group%3Asearch%2Fmonth')
  const window = `${hands.say('budget.window.month')} · UTC`
  await page.getByRole('dialog').getByText(window, { exact: true }).waitFor()
})

it('the audit log says what an acknowledged alert is about, in the language of the page', async () => {
  const [alert] = alertListSchema.parse((await owner.ask('GET', '/alerts')).body).data
  const acknowledged = await owner.ask('POST', `/alerts/${alert?.id}/acknowledge`, {})
  expect(acknowledged.status).toBe(200)
  const { page, open } = await inBrowser.visit({ name: 'olga', language: 'zh-CN' })
  const hands = new Hands(page, 'zh-CN')
  await open('/audit?action=alert.acknowledge')
  const reason = hands.say('health.reason.refused')
  await page.getByRole('row').filter({ hasText: reason }).waitFor()
  expect(await page.getByRole('main').innerText()).not.toContain('out of rotation')
})

it.each([
  { language: 'en', search: 'how long stored' },
  { language: 'zh-CN', search: '保存多久' },
] as const)('settings are found by their common names, in $language', async ({ language, search }) => {
  const { page, open } = await inBrowser.visit({ name: 'vera', language })
  const hands = new Hands(page, language)
  await open('/settings?tab=settings')
  await page.getByLabel(hands.say('settings.search')).fill(search)
  await page.getByRole('heading', { name: hands.say('settings.title.request_log') }).waitFor()
  await page.getByRole('heading', { name: hands.say('settings.title.retry') }).waitFor({ state: 'detached' })
})

it('the sign-in page says how to create the first owner of an installation', async () => {
  const { page, faults, open } = await inBrowser.visit()
  faults.expect(/401/)
  await open('/')
  await page.getByText('Nobody owns this installation yet?').click()
  await page.getByText('headgate users accept', { exact: true }).waitFor()
  await page.getByText('first-owner').waitFor()
  expect(await judgePage(page)).toEqual([])
  expect(faults.found).toEqual([])
})

it('the password prompt says what the change does', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const error = { code: 'reauthentication_required', message: '', type: 'permission', param: null }
  await page.route('**/admin/v1/users/invite', (route) => route.fulfill({ status: 403, json: { error } }))
  await open('/users')
  const hands = new Hands(page, 'en')
  await hands.press('users.invite')
  await hands.press('users.invite.submit')
  await page
    .getByText('You are about to change who may sign in, and what they may do. Confirm that it is you.')
    .waitFor()
})

it('the whole navigation is in view on a screen of 800 px', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga', height: 800 })
  await open('/')
  const last = page.getByRole('navigation').getByRole('link').last()
  const box = await last.boundingBox()
  expect((box?.y ?? 900) + (box?.height ?? 0)).toBeLessThan(800)
})

it.each(['en', 'zh-CN'] as const)('a form shows what the gateway refused, in %s', async (language) => {
  const { page, open } = await inBrowser.visit({ name: 'olga', language })
  const hands = new Hands(page, language)
  await open('/health')
  await hands.press('alerts.receiver.add')
  await hands.choose('alerts.receiver.word', 'webhook')
  await hands.fill('common.name', 'hook')
  await hands.fill('settings.field.receiver.url', 'https://hooks.example.com/path')
  await hands.fill('settings.field.receiver.secret', 'no-secret-of-this-form')
  await hands.press('alerts.receiver.add')
  await page.getByText(hands.say('problem.wrong_format.webhook_secret'), { exact: true }).waitFor()
  expect(await judgePage(page)).toEqual([])
})
