export interface Proxy {
  readonly url: URL
  /** The header by which the proxy knows us; empty where its address names no user. */
  readonly authorization: Readonly<Record<string, string>>
}

/** Takes a proxy's address apart. The user and the password stand in it percent-encoded. */
export function readProxy(address: string): Proxy {
  const url = new URL(address)
  if (url.username === '' && url.password === '') return { url, authorization: {} }
  const pair = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`
  return {
    url,
    authorization: { 'proxy-authorization': `Basic ${Buffer.from(pair).toString('base64')}` },
  }
}
