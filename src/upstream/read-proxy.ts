export interface Proxy {
  readonly url: URL
  /** The header that authenticates us to the proxy. Empty where the proxy's address names no user. */
  readonly authorization: Readonly<Record<string, string>>
}

/** Splits a proxy's address into its parts. Its user and password are percent-encoded. */
export function readProxy(address: string): Proxy {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { url, authorization: {} }
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    url,
    authorization: { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` },
  }
}
