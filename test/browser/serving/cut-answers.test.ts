import { createServer, request as sendRequest } from 'node:http'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { makeOwner, personPassword } from '../../support/admin-browser.ts'
import { type AdvancingClock, createAdvancingClock } from '../../support/advancing-clock.ts'
import { type StartedGateway, startGateway } from '../../support/start-gateway.ts'
import { buildConsole } from '../support/build-console.ts'
import { Hands } from '../support/hands.ts'
import { type ConsoleInBrowser, openConsole } from '../support/open-console.ts'

interface CuttingProxy extends AsyncDisposable {
  readonly url: string
  /** From now on the connection ends in the middle of each answer to such a request, such as `POST /admin/v1/keys`. */
  cut(asked: string): void
  passAll(): void
}

/** A proxy whose connection to the browser ends before the answer does. */
async function openCuttingProxy(gateway: StartedGateway): Promise<CuttingProxy> {
  let cut: string | undefined
  const server = createServer((incoming, outgoing) => {
    const { method, url = '/', headers } = incoming
    const upstream = sendRequest(new URL(url, gateway.url), { method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
      if (`${method} ${url.split('?')[0]}` !== cut) answer.pipe(outgoing)
      else
        answer.once('data', (body: Buffer) => {
          outgoing.write(body.subarray(0, 10), () => outgoing.destroy())
        })
    })
    upstream.on('error', () => outgoing.destroy())
    incoming.pipe(upstream)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (typeof address !== 'object' || address === null) throw new Error('the proxy has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    cut: (asked) => {
      cut = asked
    },
    passAll: () => {
      cut = undefined
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

let clock: AdvancingClock
let gateway: StartedGateway
let proxy: CuttingProxy
let inBrowser: ConsoleInBrowser

beforeAll(async () => {
  clock = createAdvancingClock()
  const yaml = 'channels: [{ name: demo, provider: demo }]\n'
  gateway = await startGateway(yaml, undefined, { clock, consoleBuild: buildConsole() })
  await makeOwner(gateway, 'olga')
  proxy = await openCuttingProxy(gateway)
  inBrowser = await openConsole(proxy)
}, 120_000)

beforeEach(() => proxy.passAll())

afterAll(async () => {
  await inBrowser?.[Symbol.asyncDispose]()
  await proxy?.[Symbol.asyncDispose]()
  await gateway?.[Symbol.asyncDispose]()
})

it('a change whose answer is cut in the middle is said to have been made perhaps', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/keys')
  await hands.press('keys.create')
  await hands.fill('common.name', 'ci')
  proxy.cut('POST /admin/v1/keys')
  await hands.press('keys.create')
  await page.getByText(hands.say('error.unanswered.advice')).waitFor()
  expect(await hands.field(hands.say('common.name')).inputValue()).toBe('ci')
})

it('so is one that the user confirmed by the password', async () => {
  const { page, open } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  await open('/users')
  await hands.press('users.invite')
  clock.advance(11 * 60_000)
  await hands.press('users.invite.submit')
  await hands.fill('sign_in.password', personPassword)
  proxy.cut('POST /admin/v1/users/invite')
  await hands.press('common.continue')
  await page.getByText(hands.say('error.unanswered.advice')).waitFor()
})

it('a list whose answer is cut says that the gateway does not answer, not that it was updated', async () => {
  const { page, go } = await inBrowser.visit({ name: 'olga' })
  const hands = new Hands(page, 'en')
  proxy.cut('GET /admin/v1/keys')
  await go('/keys')
  const alert = page.getByRole('main').getByRole('alert')
  await alert.getByText(hands.say('error.unreachable')).waitFor({ timeout: 30_000 })
  proxy.passAll()
  await alert.getByRole('button', { name: hands.say('common.retry') }).click()
  await page.getByRole('table', { name: 'Keys', exact: true }).waitFor()
})
