/**
 * The root address of the console. The gateway writes it into the page relative to the requested path, so that it
 * includes any prefix that a proxy strips.
 */
const consoleRoot = new URL('.', document.baseURI)

/** The path prefix of every console page, without a trailing slash. */
export const consolePath = consoleRoot.pathname.replace(/\/$/, '')

/** The address of an operation of the admin API. */
export function apiAddress(path: string): string {
  return new URL(`../admin/v1${path}`, consoleRoot).href
}

/** The address at which operators reach this gateway, without a trailing slash. */
export const gatewayAddress = new URL('..', consoleRoot).href.replace(/\/$/, '')

/**
 * The address that a person opens to use a link. The secret is in the fragment after `#`, which browsers never send.
 */
export function writeLinkAddress(secret: string): string {
  return `${pageAddress('/link')}#${encodeURIComponent(secret)}`
}

/** The full address of a page, for a link to share. */
function pageAddress(path: string): string {
  return new URL(path.replace(/^\//, ''), consoleRoot).href
}
