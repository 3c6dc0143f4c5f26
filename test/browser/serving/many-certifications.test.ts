import { expect, it } from 'vitest'
import { Hands } from '../support/hands.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

const MODELS = 60
const names = Array.from({ length: MODELS }, (_, index) => `m${index}: demo-chat-${index}`)
const yaml = `channels: [{ name: demo, provider: demo, models: { ${names.join(', ')} } }]\n`

it('a channel with more models than are tested at once asks for one, since a test of all would be refused', async () => {
  await using owned = await openOwnedConsole(yaml)
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/channels/demo')
  const section = page.getByRole('region', { name: 'What works' })
  const model = section.getByRole('combobox', { name: 'Model to test' })
  await model.fill('m9')
  expect(await section.getByRole('button', { name: /^Test all/ }).count()).toBe(0)
  await hands.press('certification.start.one')
  await section
    .getByText(/^Tested/)
    .first()
    .waitFor({ timeout: 30_000 })
  expect(await section.getByRole('list', { name: 'What works on m9' }).count()).toBe(1)
  expect(faults.found).toEqual([])
})

it('a list of tests that has no older ones says so, in the list of channels and in a channel', async () => {
  await using owned = await openOwnedConsole()
  const tested = await owned.owner.ask('POST', '/channels/demo/certifications', { checks: ['chat'] })
  expect(tested.status).toBe(202)
  const { page, faults, open } = await owned.inBrowser.visit({ name: 'olga', width: 1600 })
  await page.route('**/admin/v1/certifications?**', async (route) => {
    const url = new URL(route.request().url())
    url.searchParams.set('limit', '1')
    await route.continue({ url: url.href })
  })
  await open('/channels')
  await page.getByText(/^The column “What works” has the newest/).waitFor()
  await page.getByRole('link', { name: 'demo', exact: true }).click()
  await page.getByText(/^These are the newest/).waitFor()
  expect(faults.found).toEqual([])
})
