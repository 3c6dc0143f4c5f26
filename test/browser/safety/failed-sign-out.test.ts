import { expect, it } from 'vitest'
import { Hands } from '../support/hands.ts'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('a user who lacks the second factor learns that the sign-out failed', async () => {
  await using owned = await openOwnedConsole(`channels: [{ name: demo, provider: demo }]
sign_in: { second_factor: [owner] }
`)
  const { page, faults, go } = await owned.inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await page.route('**/admin/v1/sign-out', (route) => route.abort())
  await go('/')
  await hands.press('account.sign_out')
  await page.getByText(hands.say('error.unreachable')).first().waitFor()
  faults.expect(/Failed to load resource/)
  expect(faults.found).toEqual([])
})
