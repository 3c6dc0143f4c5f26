import { expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('the form of a key shows and takes any group, however many there are', async () => {
  const names = Array.from({ length: 202 }, (_group, index) => `g${String(index).padStart(3, '0')}`)
  const yaml = `channels: [{ name: demo, provider: demo }]\ngroups: { ${names.map((name) => `${name}: {}`).join(', ')} }\n`
  await using owned = await openOwnedConsole(yaml)
  const { gateway, inBrowser } = owned
  const admin = createAskAdmin(gateway.url)
  const made = await admin('POST', '/keys', { body: { name: 'ci', group: 'g201' } })
  expect(made.status, made.text).toBe(201)
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  await open('/keys')
  await page.getByRole('link', { name: 'ci', exact: true }).click()
  await page.getByRole('button', { name: 'Edit', exact: true }).click()
  const dialog = page.getByRole('dialog')
  const group = dialog.getByLabel('Group', { exact: false }).first()
  await expect.poll(() => group.inputValue()).toBe('g201')
  await group.fill('g200')
  await dialog.getByRole('button', { name: 'Save', exact: true }).click()
  await expect
    .poll(async () => (await admin('GET', '/keys/ci')).body)
    .toMatchObject({ name: 'ci', group: 'g200' })
  expect(faults.found).toEqual([])
})
