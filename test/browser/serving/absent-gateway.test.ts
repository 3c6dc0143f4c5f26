import { expect, it } from 'vitest'
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
