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
