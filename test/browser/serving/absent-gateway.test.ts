import { expect, it } from 'vitest'
import { Hands } from '../support/hands.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('a page whose code cannot be loaded while the gateway is away says so, and opens once it is back', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/groups')
  let isAway = true
  await page.route('**/*', (route) => (isAway ? route.abort('connectionrefused') : route.continue()))
  const navigation = page.getByRole('navigation')
  await navigation.getByRole('link', { name: 'Playground', exact: true }).click()
  const alert = page.getByRole('main').getByRole('alert')
  await alert.getByText('The gateway does not answer.').waitFor()
  await alert.getByRole('button', { name: 'Try again' }).click()
  await navigation.getByRole('link', { name: 'Groups', exact: true }).click()
  await page.getByRole('heading', { level: 1, name: 'Groups' }).waitFor()
  await navigation.getByRole('link', { name: 'Playground', exact: true }).click()
  await alert.waitFor()
  isAway = false
  await alert.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { level: 1, name: 'Playground' }).waitFor()
  expect(await alert.count()).toBe(0)
})

it('a change whose answer is lost is said to have been made perhaps, as sending it again would make it twice', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/budgets?tab=credits')
  await page.route('**/admin/v1/credits', async (route) => {
    if (route.request().method() !== 'POST') return route.continue()
    expect((await route.fetch()).status()).toBe(201)
    await route.abort('connectionreset')
  })
  await hands.press('credits.grant')
  await hands.choose('credits.owner', 'key')
  await page.locator('input[name=owner_name]').fill('test')
  await hands.fill('credits.amount', '5')
  await hands.fill('budgets.reason', 'a trial')
  await hands.press('credits.grant')
  await page.getByText(hands.say('error.unanswered.advice')).waitFor()
})
