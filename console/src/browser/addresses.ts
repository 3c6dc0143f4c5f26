/**
 * The address at which the console begins. The gateway writes it into the page relative to the path that was asked, so
 * that it holds every prefix that a proxy takes away.
 */
const consoleRoot = new URL('.', document.baseURI)

/** The path before every page of the console, without a slash at its end. */
export const consolePath = consoleRoot.pathname.replace(/\/$/, '')

/** The address of an operation of the admin API. */
export function apiAddress(path: string): string {
  return new URL(`../admin/v1${path}`, consoleRoot).href
}

/** The address at which operators reach this gateway, without a slash at its end. */
export const gatewayAddress = new URL('..', consoleRoot).href.replace(/\/$/, '')

/** The address that a person opens to use a link. Its secret stands behind the `#`, which no browser sends anywhere. */
export function writeLinkAddress(secret: string): string {
  return `${pageAddress('/link')}#${encodeURIComponent(secret)}`
}

/** The address of a page, for a link that is passed on. */
export function pageAddress(path: string): string {
  return new URL(path.replace(/^\//, ''), consoleRoot).href
}
