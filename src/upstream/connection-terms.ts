import type { UpstreamRequest } from './upstream.ts'

/** The part of a request that, with its origin, selects its connections. */
export type ConnectionTerms = Pick<
  UpstreamRequest,
  'allowPrivate' | 'connectTimeoutMs' | 'tlsTimeoutMs' | 'authorities' | 'proxy'
>

/** Copies the terms, so that what a pool keeps does not hold a request's body. */
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
