import { expect, it } from 'vitest'
import { addUser, makeOwner, secretOf } from '../../support/admin-browser.ts'
import { callModel } from '../../support/call-model.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { judgePage, showTheme } from '../support/judge-page.ts'
import { openConsole, takeScreenshot } from '../support/open-console.ts'

it('a member without a key sees the settings of each client, and creates a key beside them', async () => {
  const config = 'channels: [{ name: demo, provider: demo }]\ngroups: { search: { models: ["demo-chat"] } }\n'
  await using gateway = await startGateway(config, undefined, { consoleBuild: buildConsole() })
  const owner = await makeOwner(gateway, 'olga')
  await addUser(owner, gateway, { role: 'member', name: 'mia', groups: [{ group: 'search' }] })
  await using inBrowser = await openConsole(gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'mia' })
  await open('/connect')
  await page.getByText('export HEADGATE_KEY=sk-hg-…').waitFor()
  await expect.poll(() => page.getByRole('combobox', { name: 'Model' }).inputValue()).toBe('demo-chat')
  expect(await judgePage(page)).toEqual([])
  await showTheme(page, 'light')
  await takeScreenshot(page, 'connect-without-key')
  // The gateway asks for the password again after ten minutes; here it does so at once.
  const code = 'reauthentication_required'
  const error = { code, message: 'POST /admin/v1/reauthenticate', type: 'permission', param: null }
  await page.route('**/admin/v1/keys', (route) =>
    route.request().method() === 'POST' ? route.fulfill({ status: 403, json: { error } }) : route.continue(),
  )
  const make = page.getByRole('button', { name: 'Make a key' })
  await make.click()
  await page
    .getByText('You are about to change a secret, or what a person may do. Confirm that it is you.')
    .waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click()
  await page.getByText('Not saved: the password was not confirmed.').waitFor()
  await page.unroute('**/admin/v1/keys')
  await make.click()
  await page.locator('[data-secret]').waitFor()
  await page.getByText('Waiting for a request of mia').waitFor()
  expect(await judgePage(page)).toEqual([])
  expect(faults.found.filter((fault) => !fault.includes('403'))).toEqual([])
})

it('a failed first request leads its sender to the reason, with the requested model', async () => {
  const config = 'channels: [{ name: demo, provider: demo }]\ngroups: { search: { models: ["demo-chat"] } }\n'
  await using gateway = await startGateway(config, undefined, { consoleBuild: buildConsole() })
  const owner = await makeOwner(gateway, 'olga')
  const mia = await addUser(owner, gateway, { role: 'member', name: 'mia', groups: [{ group: 'search' }] })
  const secret = secretOf(await mia.ask('POST', '/keys', { name: 'of-mia' }))
  await using inBrowser = await openConsole(gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'mia' })
  await open('/connect')
  await page.getByText('Waiting for a request of of-mia').waitFor()
  expect((await callModel(gateway, secret, 'gpt-9')).status).toBe(404)
  await page.getByText('A request came and failed: 404 model_not_found').waitFor()
  await page.getByRole('link', { name: 'See why', exact: true }).click()
  await page.getByRole('dialog').getByText('The key may use no model gpt-9.').waitFor()
  expect(await judgePage(page)).toEqual([])
  expect(faults.found).toEqual([])
})
