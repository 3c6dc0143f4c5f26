/**
 * Converts the text of a listen address to the address at which the server is reached: `host`, `host:port`, `:port` or
 * a URL, as `OLLAMA_HOST` accepts them (https://docs.ollama.com/faq, seen 2026-11-20). An empty text means this
 * machine, and so does an address that means all interfaces. Undefined for any other text.
 */
export function serverAddress(text: string | undefined, defaultPort: number): string | undefined {
  const written = text?.trim() ?? ''
  const hasScheme = /^https?:\/\//i.test(written)
  const withHost = written === '' || written.startsWith(':') ? `127.0.0.1${written}` : written
  const full = hasScheme ? written : `http://${withHost}`
  if (!URL.canParse(full)) return undefined
  const url = new URL(full)
  if (url.username !== '' || url.search !== '') return undefined
  if (!hasScheme && !/:\d+\/*$/.test(withHost)) url.port = String(defaultPort)
  if (url.hostname === '0.0.0.0') url.hostname = '127.0.0.1'
  if (url.hostname === '[::]') url.hostname = '[::1]'
  return url.href.replace(/\/+$/, '')
}
