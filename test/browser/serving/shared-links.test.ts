import { expect, it } from 'vitest'
import { addUser, makeOwner } from '../../support/admin-browser.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { openConsole } from '../support/open-console.ts'

it('a link to the form of a new key or group opens a form only for a user whom the gateway lets make one', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await addUser(await makeOwner(gateway, 'olga'), gateway, { name: 'vera', role: 'viewer' })
  await using inBrowser = await openConsole(gateway)
  for (const [name, forms] of [
    ['olga', 1],
    ['vera', 0],
  ] as const) {
    const { page, open } = await inBrowser.visit({ name })
    for (const path of ['/keys?make=true', '/groups?make=true']) {
      await open(path)
      await page.locator('h1').waitFor({ state: 'attached' })
      expect(await page.getByRole('dialog').count(), `${path} of ${name}`).toBe(forms)
    }
  }
})
