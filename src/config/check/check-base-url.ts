import { isIP } from 'node:net'
import { bareHost } from '../../kit/net/bare-host.ts'
import { isPublicAddress } from '../../kit/net/is-public-address.ts'
import { isLoopback, type ListenAddress } from '../../kit/net/listen-address-schema.ts'
import { withFact, withFormat } from '../../kit/schema/input-fact.ts'

const FORM = withFormat(
  'must be an http or https address, such as "https://api.example.com/v1"',
  'web_address',
)
const SCHEME = withFormat('must begin with http:// or https://', 'web_address')
const CREDENTIALS = withFact('must not hold a user name or a password; use api_key or headers', {
  code: 'address_with_credentials',
  values: {},
})
const QUERY = withFact('must not have a query; use api_key or headers', {
  code: 'address_with_query',
  values: {},
})
const FRAGMENT = withFact('must not have a fragment; leave out the "#" and what follows', {
  code: 'address_with_fragment',
  values: {},
})
const PRIVATE = withFact(
  'leads to this machine or a private network; say "allow_private: true" if it is meant to',
  { code: 'private_address', values: {} },
)

/**
 * Finds the fault of a base address, if it has one. The message does not repeat the address, which may contain a
 * secret.
 */
export function checkBaseUrl(text: string, allowPrivate: boolean): string | undefined {
  if (!URL.canParse(text)) return FORM
  const url = new URL(text)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') return SCHEME
  if (url.username !== '' || url.password !== '') return CREDENTIALS
  if (url.search !== '' || text.includes('?')) return QUERY
  if (url.hash !== '' || text.includes('#')) return FRAGMENT
  return !allowPrivate && isPrivateUrl(url) ? PRIVATE : undefined
}

/** Whether the host is written as this machine or as an address outside the public internet. Names are not resolved. */
export function isPrivateUrl(url: URL): boolean {
  const host = bareHost(url).replace(/\.$/, '')
  if (isIP(host) !== 0) return !isPublicAddress(host)
  return host === 'localhost' || host.endsWith('.localhost')
}

/** Whether the address is written as this machine and has the listener's port. */
export function leadsTo(url: URL, listen: ListenAddress): boolean {
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port)
  const host = bareHost(url).replace(/\.$/, '')
  return port === listen.port && (host === 'localhost' || isLoopback({ host, port }) || host === listen.host)
}
