import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeOwner } from '../../support/admin-browser.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { type ConsoleInBrowser, openConsole } from '../support/open-console.ts'

let gateway: StartedGateway
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  gateway = await startGateway('channels: [{ name: demo, provider: demo }]\n', undefined, {
    consoleBuild: buildConsole(),
  })
  await makeOwner(gateway, 'olga')
  inBrowser = await openConsole(gateway)
}, 120_000)

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

it('followed requests show an error only until the next poll succeeds, also if no request ends', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  let isAway = true
  await page.route('**/admin/v1/requests?*after=*', (route) => (isAway ? route.abort() : route.continue()))
  await open('/requests?live=true')
  const error = page.getByText('The gateway does not answer.')
  await error.waitFor()
  isAway = false
  await expect.poll(() => error.count()).toBe(0)
})
