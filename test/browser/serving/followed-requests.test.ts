import { expect, it } from 'vitest'
import { openOwnedConsole } from '../support/open-owned-console.ts'

it('followed requests show an error only until the next poll succeeds, also if no request ends', async () => {
  await using owned = await openOwnedConsole()
  const { page, open } = await owned.inBrowser.visit({ name: 'olga' })
  let isAway = true
  await page.route('**/admin/v1/requests?*after=*', (route) => (isAway ? route.abort() : route.continue()))
  await open('/requests?live=true')
  const error = page.getByText('The gateway does not answer.')
  await error.waitFor()
  isAway = false
  await expect.poll(() => error.count()).toBe(0)
})
