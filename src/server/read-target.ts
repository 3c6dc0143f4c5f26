import type { IncomingMessage } from 'node:http'

const ABSOLUTE = /^https?:\/\/([^/?#]+)(.*)$/is

/**
 * Path and query of a request. The absolute form that proxies use is taken where its host is that of the header;
 * every other one stays as it is, to be refused. A doubled `/v1` is taken away.
 */
export function readTarget({ url = '/', headers }: Pick<IncomingMessage, 'url' | 'headers'>): string {
  if (url.startsWith('/')) return withoutDoubledVersion(url)
  const [, host = '', rest = ''] = ABSOLUTE.exec(url) ?? []
  if (host === '' || host.toLowerCase() !== headers.host?.toLowerCase()) return url
  return withoutDoubledVersion(rest.startsWith('/') ? rest : `/${rest}`)
}

/** An SDK whose base already ends in /v1 asks for /v1/v1/…; both are the same place. */
function withoutDoubledVersion(target: string): string {
  return target.startsWith('/v1/v1/') ? target.slice(3) : target
}
