import type { UpstreamRequest } from './upstream.ts'

/** The terms of a request that, with its origin, select a connection pool. */
export type ConnectionTerms = Pick<
  UpstreamRequest,
  'allowPrivate' | 'connectTimeoutMs' | 'tlsTimeoutMs' | 'authorities' | 'proxy'
>

/** Copies only the terms, so that a pool does not keep a request's body alive. */
export function termsOf({
  allowPrivate,
  connectTimeoutMs,
  tlsTimeoutMs,
  authorities,
  proxy,
}: ConnectionTerms): ConnectionTerms {
  return {
    allowPrivate,
    connectTimeoutMs,
    ...(tlsTimeoutMs !== undefined && { tlsTimeoutMs }),
    authorities,
    proxy,
  }
}

/** Whether two requests to one origin may share connections. */
export function mayShareConnections(one: ConnectionTerms, other: ConnectionTerms): boolean {
  return (
    one.allowPrivate === other.allowPrivate &&
    one.connectTimeoutMs === other.connectTimeoutMs &&
    one.tlsTimeoutMs === other.tlsTimeoutMs &&
    one.authorities?.id === other.authorities?.id &&
    one.proxy === other.proxy
  )
}
