import { expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('a key works until the end of its last day where its maker is, and its page shows that day', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga', timeZone: 'Pacific/Auckland' })
  await open('/keys?make=true')
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name', { exact: true }).fill('ci')
  await dialog.getByLabel('Expires').selectOption('date')
  await dialog.getByLabel('Last day (Pacific/Auckland)').fill('2099-12-31')
  await dialog.getByRole('button', { name: 'Make a key' }).click()
  await page.locator('[data-secret]').waitFor()
  expect((await createAskAdmin(owned.gateway.url)('GET', '/keys/ci')).body).toMatchObject({
    expires_at: '2099-12-31T10:59:59.000Z',
  })
  await dialog.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('link', { name: 'ci', exact: true }).click()
  await dialog.getByText('Dec 31, 2099, 23:59:59').waitFor()
})
