import { expect } from 'vitest'
import type { StartedGateway } from './start-gateway.ts'

export const personPassword = 'a long enough password'

export interface BrowserAnswer {
  readonly status: number
  readonly body: unknown
  /** The whole `Set-Cookie` of the answer, the first if there are more. */
  readonly cookie: string | undefined
  readonly location: string | undefined
}

/** The value of `Sec-Fetch-Site`; undefined: the browser sends none, and no `Origin` either. */
type Site = 'same-origin' | 'same-site' | 'cross-site' | 'none' | undefined

/** A browser: it keeps its cookie, and says that the page of the gateway itself asks. */
export class Browser {
  readonly #url: string
  readonly #cookies = new Map<string, string>()

  constructor(gateway: Pick<StartedGateway, 'url'>, cookie?: string) {
    this.#url = `${gateway.url}/admin/v1`
    if (cookie !== undefined) this.#keepCookie(cookie)
  }

  get cookie(): string | undefined {
    const pairs = [...this.#cookies].map(([name, value]) => `${name}=${value}`)
    return pairs.length === 0 ? undefined : pairs.join('; ')
  }

  async ask(
    method: string,
    path: string,
    body?: unknown,
    site: Site = 'same-origin',
  ): Promise<BrowserAnswer> {
    const { cookie } = this
    const response = await fetch(this.#url + path, {
      method,
      redirect: 'manual',
      headers: {
        'user-agent': 'a browser',
        ...(site !== undefined && { 'sec-fetch-site': site }),
        ...(cookie !== undefined && { cookie }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
    const all = response.headers.getSetCookie()
    for (const set of all) this.#keepCookie(set)
    const location = response.headers.get('location') ?? undefined
    return { status: response.status, body: await response.json(), cookie: all[0], location }
  }

  #keepCookie(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (/max-age=0(?:;|$)/i.test(set)) this.#cookies.delete(name)
    else this.#cookies.set(name, value)
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
  const secret = gateway.firstOwnerSecret
  const browser = new Browser(gateway)
  const accepted = await browser.ask('POST', '/links/accept', { secret, name, password: personPassword })
  expect(accepted.status).toBe(200)
  expect((await browser.signIn(name)).status).toBe(200)
  return browser
}

/** A browser with a signed-in user whom the owner invited. */
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
