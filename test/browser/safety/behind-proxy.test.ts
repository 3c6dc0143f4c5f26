import { request as sendRequest } from 'node:http'
import { createServer, request as sendSecure } from 'node:https'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { makeOwner, personPassword } from '../../support/admin-browser.ts'
import { readIdentity } from '../../support/certificate.ts'
import { startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { judgePage } from '../support/judge-page.ts'
import { openChromium } from '../support/open-chromium.ts'
import { settle, takeScreenshot } from '../support/open-console.ts'
import { watchPage } from '../support/watch-page.ts'

const PREFIX = '/ai'

/** A reverse proxy that ends TLS and serves the gateway below a path, as nginx does. Other paths are not the gateway's. */
async function openProxy() {
  let port = 0
  const server = createServer(readIdentity('first'), (incoming, outgoing) => {
    const { method, url = '', headers } = incoming
    if (!url.startsWith(`${PREFIX}/`)) {
      outgoing.writeHead(404).end('not behind this proxy')
      return
    }
    const upstream = sendRequest(
      { host: '127.0.0.1', port, method, path: url.slice(PREFIX.length), headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
        answer.pipe(outgoing)
      },
    )
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address() as AddressInfo
  return {
    url: `https://127.0.0.1:${address.port}${PREFIX}`,
    leadTo: (gatewayUrl: string) => {
      port = Number(new URL(gatewayUrl).port)
    },
    close: () => {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** Asks for an answer as a program does that trusts the certificate. */
function ask(url: string, secret: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = sendSecure(
      `${url}/v1/chat/completions`,
      {
        method: 'POST',
        rejectUnauthorized: false,
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
      },
      (answer) => {
        let text = ''
        answer.setEncoding('utf8').on('data', (chunk: string) => {
          text += chunk
        })
        answer.on('end', () => resolve(`${answer.statusCode} ${text}`))
      },
    )
    sent.on('error', reject)
    sent.end(JSON.stringify({ model: 'demo-chat', messages: [{ role: 'user', content: 'hello' }] }))
  })
}

it('the console works behind TLS and a path: sign-in, pages, links, keys and a streamed answer', async () => {
  const proxy = await openProxy()
  onTestFinished(proxy.close)
  const yaml = `public_url: ${proxy.url}\nchannels: [{ name: demo, provider: demo }]\n`
  await using gateway = await startGateway(yaml, undefined, { consoleBuild: buildConsole() })
  proxy.leadTo(gateway.url)
  await makeOwner(gateway, 'olga')
  const browser = await openChromium()
  onTestFinished(() => browser.close())
  const context = await browser.newContext({ ignoreHTTPSErrors: true, locale: 'en', reducedMotion: 'reduce' })
  const page = await context.newPage()
  page.setDefaultTimeout(15_000)
  page.setDefaultNavigationTimeout(30_000)
  const asked: string[] = []
  page.on('request', (request) => asked.push(request.url()))
  const faults = await watchPage(page)
  const hands = new Hands(page, 'en')

  // The session cookie of a page behind TLS is bound to its host.
  faults.expect(/401/)
  await page.goto(`${proxy.url}/console/keys`)
  await hands.fill('sign_in.name', 'olga')
  await hands.fill('sign_in.password', personPassword)
  await hands.press('sign_in.submit')
  await page.getByRole('heading', { level: 1, name: hands.say('nav.keys') }).waitFor()
  expect(page.url()).toBe(`${proxy.url}/console/keys`)
  expect(await context.cookies()).toMatchObject([
    { name: '__Host-headgate', path: '/', secure: true, httpOnly: true, sameSite: 'Strict' },
  ])

  await hands.press('keys.create')
  await hands.fill('common.name', 'notebook')
  await hands.press('keys.create')
  const secret = await hands.readSecret()
  await hands.close()
  expect(await ask(proxy.url, secret)).toMatch(/^200 /)

  await hands.goTo('nav.users')
  await hands.press('users.invite')
  await hands.press('users.invite.submit')
  expect(await hands.readSecret()).toMatch(new RegExp(`^${proxy.url}/console/link#`))
  await hands.close()

  await hands.goTo('nav.connect')
  await page.getByText(`${proxy.url}/v1`).first().waitFor()
  await hands.goTo('nav.playground')
  await page.getByLabel(hands.say('playground.model'), { exact: true }).first().fill('demo-chat')
  await hands.fill('playground.message', 'Why does it rain?')
  await hands.press('playground.send')
  const answers = page
    .getByRole('region', {
      name: hands.say('playground.answers', { model: 'demo-chat' }),
      exact: true,
    })
    .first()
  await answers
    .getByText(hands.say('playground.by', { channel: 'demo' }))
    .first()
    .waitFor()

  // A deep link that is loaded again, and its way back to the root.
  await page.goto(`${proxy.url}/console/requests?key=notebook`)
  await page
    .getByRole('main')
    .getByRole('link')
    .filter({ hasText: /\d\d:\d\d/ })
    .first()
    .click()
  await page.getByRole('dialog').waitFor()
  await page.reload()
  await page.getByRole('dialog').getByText('notebook').first().waitFor()
  await settle(page)
  await takeScreenshot(page, 'behind-proxy')
  expect(await judgePage(page)).toEqual([])
  expect(asked.filter((url) => !url.startsWith(`${proxy.url}/`) && !url.startsWith('data:'))).toEqual([])
  expect(faults.found, faults.found.join('\n')).toEqual([])
}, 120_000)
