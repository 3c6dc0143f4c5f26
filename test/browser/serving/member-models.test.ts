import { expect, it } from 'vitest'
import { addUser, makeOwner } from '../../support/admin-browser.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { judgePage } from '../support/judge-page.ts'
import { openConsole, settle } from '../support/open-console.ts'

const yaml = `
channels: [{ name: hidden-account, provider: demo, models: { gpt: demo-chat, other: demo-chat } }]
models: { gpt: { price: { input: 2, output: 10, cached_input: 1, batch: { input: 0.75, output: 5 } }, description: For everyday work } }
groups: { search: { models: [gpt], multiplier: 1.5 } }
`

it('a member sees the models of their groups with the prices for them, and no channel', async () => {
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  const owner = await makeOwner(gateway)
  await addUser(owner, gateway, { role: 'member', name: 'mia', groups: [{ group: 'search' }] })
  await using inBrowser = await openConsole(gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'mia' })
  await open('/')
  await page.getByRole('navigation').getByRole('link', { name: 'Models', exact: true }).click()
  const row = page.getByRole('row').filter({ hasText: 'gpt' })
  await row.getByText('$3.00 / $15.00').waitFor()
  await row.getByText('For everyday work').waitFor()
  await page.getByRole('link', { name: 'gpt', exact: true }).click()
  const sheet = page.getByRole('dialog')
  await sheet.getByText('$1.50').waitFor()
  await sheet.getByText('Batch · Input').waitFor()
  await sheet.getByText('$1.125').waitFor()
  await settle(page)
  expect(await judgePage(page)).toEqual([])
  expect(await page.content()).not.toMatch(/hidden-account|other|demo-chat/)
  expect(faults.found).toEqual([])
}, 120_000)
