import { expect, it } from 'vitest'
import { requestListSchema } from '../../../src/admin/requests/request-contract.ts'
import { addUser } from '../../support/admin-browser.ts'
import { callModel } from '../../support/call-model.ts'
import type { StartedGateway } from '../../support/start-gateway.ts'
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

/** The largest number of rows that one poll reads. */
const MOST_OF_A_POLL = 500
const secrets = { mia: 'sk-mia-0123456789abcdef', ci: 'sk-ci-0123456789abcdef' } as const

async function callTimes(gateway: StartedGateway, key: string, count: number): Promise<void> {
  for (let sent = 0; sent < count; sent += 10)
    await Promise.all(Array.from({ length: 10 }, async () => (await callModel(gateway, key)).text()))
}

it('followed requests are said to be cut only if some of them are missing, whatever else ends meanwhile', async () => {
  await using owned = await openOwnedConsole(`channels: [{ name: demo, provider: demo }]
groups: { search: { models: ["*"] } }
keys:
  - { name: hers, secret: ${secrets.mia}, models: ["*"], user: mia }
  - { name: ci, secret: ${secrets.ci}, models: ["*"] }
`)
  const { gateway, owner, inBrowser } = owned
  await addUser(owner, gateway, { name: 'mia', role: 'member', groups: [{ group: 'search' }] })
  const { page, open } = await inBrowser.visit({ name: 'mia' })
  // While a poll is on its way, as many requests end as it can read, after requests of another user.
  const ended = Promise.withResolvers<void>()
  await page.route('**/admin/v1/requests?*after=*', async (route) => {
    await ended.promise
    await route.continue()
  })
  await open('/requests?live=true')
  const table = page.getByRole('table', { name: 'Requests' })
  const some = page.getByRole('status').filter({ hasText: /too fast|than fit/ })
  const listed = () => table.getAttribute('aria-rowcount')
  await callTimes(gateway, secrets.ci, 10)
  await callTimes(gateway, secrets.mia, MOST_OF_A_POLL)
  const stored = async () => (await owner.ask('GET', '/requests?user=mia&limit=500')).body
  await expect.poll(async () => requestListSchema.parse(await stored()).data.length).toBe(MOST_OF_A_POLL)
  ended.resolve()
  await expect.poll(listed).toBe(String(MOST_OF_A_POLL + 1))
  expect(await some.allTextContents()).toEqual([])
})
