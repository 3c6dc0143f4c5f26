import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { openConsole } from '../support/open-console.ts'

it('a page whose code cannot be loaded while the gateway is away says so, and opens once it is back', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
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
