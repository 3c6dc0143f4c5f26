import { expect } from 'vitest'
import type { Browser, BrowserAnswer } from '../admin-browser.ts'

const MAX_REDIRECTS = 10

/** A browser at the provider, with its cookies there: signed in once, it is not asked again. */
export class ProviderBrowser {
  readonly #cookies = new Map<string, string>()

  /** Follows the provider's pages to where it sends the browser back to, which is not asked. */
  async follow(url: string): Promise<URL> {
    const { origin } = new URL(url)
    let next = new URL(url)
    for (let count = 0; count < MAX_REDIRECTS; count += 1) {
      const response = await fetch(next, { redirect: 'manual', headers: { cookie: this.#writeCookies() } })
      for (const set of response.headers.getSetCookie()) this.#readCookie(set)
      const location = response.headers.get('location')
      if (location === null) throw new Error(`${next.pathname} answered ${response.status}`)
      next = new URL(location, next)
      if (next.origin !== origin) return next
    }
    throw new Error('redirected too often')
  }

  #writeCookies(): string {
    return [...this.#cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  }

  #readCookie(set: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(set) ?? []
    if (value === '') this.#cookies.delete(name)
    else this.#cookies.set(name, value)
  }
}

/** Begins at the gateway, signs in at the provider, and answers with where the browser is sent back to. */
export async function goToProvider(
  browser: Browser,
  { path = '/sign-in/oidc', body = {}, at = new ProviderBrowser() } = {},
): Promise<URL> {
  const begun = await browser.ask('POST', path, body)
  expect(begun.status, JSON.stringify(begun.body)).toBe(200)
  return at.follow((begun.body as { readonly url: string }).url)
}

/** Comes back from the provider: a page of another site sent the browser here. */
export function comeBack(browser: Browser, callback: URL): Promise<BrowserAnswer> {
  return browser.ask(
    'GET',
    callback.pathname.replace('/admin/v1', '') + callback.search,
    undefined,
    'cross-site',
  )
}

/** The whole way. */
export async function signInByProvider(
  browser: Browser,
  more: Parameters<typeof goToProvider>[1] = {},
): Promise<BrowserAnswer> {
  return comeBack(browser, await goToProvider(browser, more))
}
