import { expect, it } from 'vitest'
import { Hands } from '../support/hands.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

const yaml = `channels: [{ name: demo, provider: demo }]
groups: { search: { models: ["*"] } }
keys: [{ name: ci, secret: sk-ci-0123456789abcdef, models: ["*"], budgets: [{ limit_usd: 5, window: day }] }]
`

it('what cannot be read is not said to be absent: models, the budgets of a key, and groups', async () => {
  await using owned = await openOwnedConsole(yaml)
  const { page, go } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await page.route(/\/admin\/v1\/(?:catalog|budgets|groups)\?/, (route) =>
    route.fulfill({
      status: 403,
      json: { error: { message: 'Not now.', type: 'x', code: 'x', param: null } },
    }),
  )
  await go('/connect')
  await page.getByText('Not now.').waitFor()
  expect(await page.getByText(hands.say('connect.no_models')).count()).toBe(0)

  await go('/keys')
  await page.getByRole('main').getByRole('link', { name: 'ci', exact: true }).click()
  await page.getByRole('dialog').getByText('Not now.').first().waitFor()
  await hands.close()

  await hands.press('keys.create')
  const group = page.getByRole('dialog').getByRole('combobox', { name: hands.say('keys.group') })
  await group.fill('search')
  expect(await group.inputValue()).toBe('search')
})

const broken = { status: 500, json: { error: { message: 'It broke.', type: 'x', code: 'x', param: null } } }

it('a new channel has no empty choice of providers where they cannot be read, and offers them once they can', async () => {
  await using owned = await openOwnedConsole(yaml)
  const made = await owned.owner.ask('POST', '/channels', { name: 'own', provider: 'demo' })
  expect(made.status).toBe(201)
  const { page, go } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  let isBroken = true
  await page.route('**/admin/v1/providers', (route) => (isBroken ? route.fulfill(broken) : route.continue()))
  await go('/channels?add=true')
  const alert = page.getByRole('dialog').getByRole('alert')
  await alert.getByText('It broke.').waitFor({ timeout: 30_000 })
  await hands.close()
  await page.getByRole('link', { name: 'own', exact: true }).click()
  await hands.press('channels.edit')
  await alert.getByText('It broke.').waitFor({ timeout: 30_000 })
  isBroken = false
  await alert.getByRole('button', { name: hands.say('common.retry') }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Test', exact: true }).waitFor()
})

it('counts of errors that cannot be read are not said to be zero', async () => {
  await using owned = await openOwnedConsole(yaml)
  const { page, go } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await page.route('**/admin/v1/traffic?**', (route) => route.fulfill(broken))
  await go('/')
  await page.getByRole('main').getByText('It broke.').waitFor()
  const none = hands.say('overview.errors.of', { refused: '0', failed: '0' })
  expect(await page.getByText(none).count()).toBe(0)
})

it('an open form of a setting and of a receiver keeps what is typed when the settings cannot be read again', async () => {
  await using owned = await openOwnedConsole(yaml)
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await page.clock.install()
  let isBroken = false
  let refused = 0
  await page.route('**/admin/v1/settings', async (route) => {
    if (!isBroken) return route.continue()
    await route.fulfill({ ...broken, status: 429 })
    refused += 1
  })
  const comeBack = async () => {
    const before = refused
    isBroken = true
    await page.clock.fastForward(60_000)
    await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange', { bubbles: true })))
    await expect.poll(() => refused).toBeGreaterThan(before)
  }
  await open('/settings?tab=settings')
  await page.getByRole('button', { name: 'Change: retry' }).click()
  const attempts = page.getByRole('dialog').locator('input[name="fields.attempts"]')
  await attempts.fill('7')
  await comeBack()
  await page.getByRole('main', { includeHidden: true }).getByText('It broke.').waitFor()
  expect(await attempts.inputValue()).toBe('7')

  isBroken = false
  await open('/health')
  await hands.press('alerts.receiver.add')
  const name = page.getByRole('dialog').locator('input[name=name]')
  await name.fill('ops')
  await comeBack()
  // The answer of the first time has been shown once the settings are asked for again.
  await comeBack()
  expect(await name.inputValue()).toBe('ops')
})
