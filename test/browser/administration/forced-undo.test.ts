import { expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { openConsole, settle } from '../support/open-console.ts'

it('a cancelled undo of later changes has to be confirmed again', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  const admin = createAskAdmin(gateway.url)
  await admin('POST', '/groups', { body: { name: 'search', models: ['*'] } })
  for (const multiplier of [2, 3]) await admin('PATCH', '/groups/search', { body: { multiplier } })
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/settings?tab=versions')
  await page.getByRole('main').getByRole('link', { name: '2', exact: true }).click()
  await settle(page)
  const force = page.getByRole('checkbox')
  await hands.press('settings.undo_version')
  await force.check()
  await hands.press('common.cancel')
  await force.waitFor({ state: 'detached' })
  await hands.press('settings.undo_version')
  await force.waitFor()
  expect(await force.isChecked()).toBe(false)
  expect(await hands.button('settings.undo_version').isDisabled()).toBe(true)
})

it('the undo after a step back names the version that it takes back', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  const admin = createAskAdmin(gateway.url)
  for (const name of ['first', 'second']) await admin('POST', '/groups', { body: { name, models: ['*'] } })
  await admin('POST', '/config/undo', { body: {} })
  await using inBrowser = await openConsole(gateway)
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/settings?tab=versions')
  await hands.press('settings.undo')
  const dialog = page.getByRole('dialog', { name: hands.say('settings.undo.title', { version: '1' }) })
  await dialog.getByText('group first removed').waitFor()
})
