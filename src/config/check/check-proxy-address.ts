import { tryDecodeUri } from '../../kit/bytes/try-decode-uri.ts'
import { withFormat } from '../../kit/schema/input-fact.ts'

const FORM = withFormat('must be the address of a proxy, such as "http://proxy:3128"', 'proxy_address')
const SCHEME = withFormat(
  'must begin with http:// or https://; other kinds of proxy are not spoken',
  'proxy_address',
)
const PATH = withFormat('must end after the port; a proxy has no path', 'proxy_address')
const ESCAPE = withFormat(
  'has a "%" in its user or password that begins no escape; write "%25" for a plain "%"',
  'proxy_address',
)

/**
 * Finds the fault of a proxy's address, if it has one. The message does not repeat the address, which may contain a
 * password.
 */
export function checkProxyAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return FORM
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return SCHEME
  }
  if (url.pathname !== '/' || /[?#]/.test(text)) return PATH
  if (tryDecodeUri(url.username) === undefined || tryDecodeUri(url.password) === undefined) {
    return ESCAPE
  }
  return undefined
}
