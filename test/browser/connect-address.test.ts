import { expect, it, onTestFinished } from 'vitest'
import { makeOwner } from '../support/admin-browser.ts'
import { startGateway } from '../support/start-gateway.ts'
import { buildConsole } from './support/build-console.ts'
import { openConsole } from './support/open-console.ts'

it('the address for clients is that of the page where there is no TLS and the port is chosen by the system', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  const inBrowser = await openConsole(gateway)
  onTestFinished(() => inBrowser[Symbol.asyncDispose]())
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  await open('/connect')
  await page.waitForFunction((url) => document.body.textContent?.includes(`${url}/v1`), gateway.url)
  expect(await page.textContent('body')).not.toContain('https://127.0.0.1')
})
