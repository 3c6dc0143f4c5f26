import { beforeAll, expect, it, onTestFinished } from 'vitest'
import type { ConsoleBuild } from '../../src/app/console-build.ts'
import { addUser, makeOwner } from '../support/admin-browser.ts'
import { startGateway } from '../support/start-gateway.ts'
import { buildConsole } from './support/build-console.ts'
import { openConsole } from './support/open-console.ts'

let consoleBuild: ConsoleBuild

// Building takes longer than a test may on a slow machine.
beforeAll(() => {
  consoleBuild = buildConsole()
}, 120_000)

it('the address for clients is that of the page without TLS and with a port chosen by the system', async () => {
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  await using gateway = await startGateway(yaml, undefined, { consoleBuild })
  await makeOwner(gateway, 'olga')
  const inBrowser = await openConsole(gateway)
  onTestFinished(() => inBrowser[Symbol.asyncDispose]())
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  await open('/connect')
  await page.waitForFunction((url) => document.body.textContent?.includes(`${url}/v1`), gateway.url)
  await expect.poll(() => page.textContent('body')).not.toContain('https://127.0.0.1')
}, 60_000)

it('a member sees the address for callers if operators have a separate listener', async () => {
  const yaml = `channels: [{ name: demo, provider: demo }]
keys: [{ name: mine, secret: sk-mine-0123456789abcdef, models: ["*"], user: mia }]
public_url: http://ai.example.com
admin: { listen: "127.0.0.1:0" }
`
  await using gateway = await startGateway(yaml, undefined, { consoleBuild })
  const operators = { ...gateway, url: `http://127.0.0.1:${gateway.app.adminAddress?.port}` }
  const owner = await makeOwner(operators, 'olga')
  await addUser(owner, operators, { name: 'mia', role: 'member' })
  const inBrowser = await openConsole(operators)
  onTestFinished(() => inBrowser[Symbol.asyncDispose]())
  const { page, open } = await inBrowser.visit({ name: 'mia' })
  await open('/connect')
  await page.waitForFunction(() => document.body.textContent?.includes('http://ai.example.com/v1'))
  await expect.poll(() => page.textContent('main')).not.toContain(operators.url)
}, 60_000)
