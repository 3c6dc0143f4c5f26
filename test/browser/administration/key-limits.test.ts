import { afterAll, beforeAll, expect, it } from 'vitest'
import { createAskAdmin } from '../../support/ask-admin.ts'
import { type OwnedConsole, openOwnedConsole } from '../support/open-owned-console.ts'

let owned: OwnedConsole

beforeAll(async () => {
  owned = await openOwnedConsole()
  const admin = createAskAdmin(owned.gateway.url)
  const body = { name: 'shop', models: ['*'], end_user_budget: { limit_usd: 2, window: 'day' } }
  const { status, text } = await admin('POST', '/keys', { body })
  if (status !== 201) throw new Error(text)
}, 240_000)

afterAll(() => owned?.[Symbol.asyncDispose]())

it('the sheet of a key shows the budget of each end user', async () => {
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  await open('/keys/shop')
  await page.getByText('Each end user: $2.00 a day').waitFor()
  expect(await page.getByText('It has no limits of its own.').count()).toBe(0)
})
