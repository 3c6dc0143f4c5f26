import { expect } from 'vitest'
import type { StartedGateway } from './start-gateway.ts'

export const personPassword = 'a long enough password'

export interface BrowserAnswer {
  readonly status: number
  readonly body: unknown
  /** The whole `Set-Cookie` of the answer. */
  readonly cookie: string | undefined
}

/** The value of `Sec-Fetch-Site`; undefined: the browser sends none, and no `Origin` either. */
type Site = 'same-origin' | 'same-site' | 'cross-site' | 'none' | undefined

/** A browser: it keeps its cookie, and says that the page of the gateway itself asks. */
export class Browser {
  readonly #url: string
  #cookie: string | undefined

  constructor(gateway: Pick<StartedGateway, 'url'>, cookie?: string) {
    this.#url = `${gateway.url}/admin/v1`
    this.#cookie = cookie
  }

  get cookie(): string | undefined {
    return this.#cookie
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    site: Site = 'same-origin',
  ): Promise<BrowserAnswer> {
    const response = await fetch(this.#url + path, {
      method,
      headers: {
        'user-agent': 'a browser',
        ...(site !== undefined && { 'sec-fetch-site': site }),
        ...(this.#cookie !== undefined && { cookie: this.#cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const [set] = response.headers.getSetCookie()
    if (set !== undefined) this.#cookie = set.split(';')[0]
    return { status: response.status, body: await response.json(), cookie: set }
  }

  signIn(name: string, more: object = {}): Promise<BrowserAnswer> {
    return this.ask('POST', '/sign-in', { name, password: personPassword, ...more })
  }
}

export const secretOf = ({ body }: { readonly body: unknown }): string =>
  String((body as { secret?: unknown }).secret)

export const codeOf = ({ body }: { readonly body: unknown }): unknown =>
  (body as { error?: { code?: unknown } }).error?.code

/** A browser in which the owner is signed in, whom the link of the first start made. */
export async function makeOwner(gateway: StartedGateway, name = 'olga'): Promise<Browser> {
  const secret = gateway.app.firstOwner?.secret
  const browser = new Browser(gateway)
  const accepted = await browser.ask('POST', '/links/accept', { secret, name, password: personPassword })
  expect(accepted.status).toBe(200)
  expect((await browser.signIn(name)).status).toBe(200)
  return browser
}

/** A browser in which somebody is signed in whom the owner invited. */
export async function addUser(owner: Browser, gateway: StartedGateway, invitation: object): Promise<Browser> {
  const link = await owner.ask('POST', '/users/invite', invitation)
  expect(link.status).toBe(201)
  const browser = new Browser(gateway)
  const secret = secretOf(link)
  const accepted = await browser.ask('POST', '/links/accept', { secret, password: personPassword })
  expect(accepted.status).toBe(200)
  const { name } = accepted.body as { readonly name: string }
  expect((await browser.signIn(name)).status).toBe(200)
  return browser
}
