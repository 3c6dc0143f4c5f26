import { isIP } from 'node:net'
import { bareHost } from '../../kit/net/bare-host.ts'
import { isPublicAddress } from '../../kit/net/is-public-address.ts'
import { isLoopback, type ListenAddress } from '../../kit/net/listen-address-schema.ts'

/** The fault of a base address, if it has any. The address itself is not repeated: it may hold a secret. */
export function checkBaseUrl(text: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return 'must be an http or https address, such as "https://api.example.com/v1"'
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return 'must begin with http:// or https://'
  if (url.username !== '' || url.password !== '')
    return 'must not hold a user name or a password; use api_key or headers'
  if (url.search !== '' || text.includes('?')) return 'must not have a query; use api_key or headers'
  if (url.hash !== '' || text.includes('#'))
    return 'must not have a fragment; leave out the "#" and what follows'
  if (!allowPrivate && isPrivateUrl(url)) {
    return 'leads to this machine or a private network; say "allow_private: true" if it is meant to'
  }
  return undefined
}

/**
 * Whether the host is written as this machine or as an address that is not of the public internet. Names are
 * not looked up.
 */
export function isPrivateUrl(url: URL): boolean {
  const host = bareHost(url).replace(/\.$/, '')
  if (isIP(host) !== 0) return !isPublicAddress(host)
  return host === 'localhost' || host.endsWith('.localhost')
}

/** Whether the address is written as this machine and has the port of the listener. */
export function leadsTo(url: URL, listen: ListenAddress): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  const host = bareHost(url).replace(/\.$/, '')
  return port === listen.port && (host === 'localhost' || isLoopback({ host, port }) || host === listen.host)
}
