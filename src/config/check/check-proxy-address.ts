import { tryDecodeUri } from '../../kit/bytes/try-decode-uri.ts'

/** The fault of a proxy's address, if it has any. The address itself is not repeated: it may hold a password. */
export function checkProxyAddress(text: string): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined) return 'must be the address of a proxy, such as "http://proxy:3128"'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    return 'must begin with http:// or https://; other kinds of proxy are not spoken'
  }
  if (url.pathname !== '/' || /[?#]/.test(text)) return 'must end after the port; a proxy has no path'
  if (tryDecodeUri(url.username) === undefined || tryDecodeUri(url.password) === undefined) {
    return 'has a "%" in its user or password that begins no escape; write "%25" for a plain "%"'
  }
  return undefined
}
