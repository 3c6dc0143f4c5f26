import { expect, it } from 'vitest'
import { addUser, makeOwner } from '../../support/admin-browser.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { openConsole, settle } from '../support/open-console.ts'

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

it('a parameter that another program added to a link is no filter, and leaves the filters in the link', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await using inBrowser = await openConsole(gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  for (const path of ['/', '/requests', '/requests/req_none']) {
    await open(`${path}?utm_source=chat&model=gone`)
    await settle(page)
    expect(await page.getByText('is not a field of this request').count(), path).toBe(0)
    await page.waitForURL(`**/console${path}?model=gone`)
  }
  faults.expect(/req_none/)
  expect(faults.found).toEqual([])
})

it('the address of an object opens it again, whatever its name looks like', async () => {
  const names = ['gpt-4.1', 'a/b?c#d%25 e.js', '../../assets/x.html']
  const models = names.map((name) => `${JSON.stringify(name)}: demo-chat`).join(', ')
  const yaml = `channels: [{ name: eu.west, provider: demo, models: { ${models} } }]\n`
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  await using inBrowser = await openConsole(gateway)
  const { page, faults, open } = await inBrowser.visit({ name: 'olga' })
  const objects = [['/channels', 'eu.west'], ...names.map((name) => ['/models', name] as const)] as const
  for (const [list, name] of objects) {
    await open(list)
    await page.getByRole('link', { name, exact: true }).first().click()
    const heading = page.getByRole('dialog').getByRole('heading', { name, exact: true })
    await heading.waitFor()
    await page.reload()
    await heading.waitFor()
  }
  expect((await fetch(`${gateway.url}/console/absent.js`)).status).toBe(404)
  expect((await fetch(`${gateway.url}/console/assets/gpt-4`)).status).toBe(404)
  expect(faults.found).toEqual([])
})
