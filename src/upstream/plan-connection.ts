import { isIP } from 'node:net'
import { createSecureContext, getCACertificates, type SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { bareHost } from '../kit/net/bare-host.ts'
import { type AddressGuard, createGuardedConnector } from './guarded-connector.ts'
import { judgeWrittenHost } from './judge-written-host.ts'
import { createProxiedConnector } from './proxied-connector.ts'
import { readProxy } from './read-proxy.ts'
import { createTimedConnector } from './timed-connector.ts'
import type { UpstreamRequest } from './upstream.ts'

/** The request form for a forwarding proxy: the whole address is in the request line (RFC 9112 §3.2.2). */
export interface Forwarded {
  readonly pathPrefix: string
  readonly headers: Readonly<Record<string, string>>
}

export interface PlannedConnection {
  /** The destination of connections: the upstream, or a proxy that forwards requests. */
  readonly origin: string
  readonly forwarded: Forwarded | undefined
  readonly connect: buildConnector.connector
}

/** Plans how an upstream is reached: directly, through a tunnel (https), or by a forwarding proxy (http). */
export function planConnection(request: UpstreamRequest, guard?: AddressGuard): PlannedConnection {
  const { origin, proxy, allowPrivate } = request
  const { connectTimeoutMs, tlsTimeoutMs = connectTimeoutMs } = request
  const times = { connectTimeoutMs, tlsTimeoutMs }
  const secureContext = trust(request.authorities?.pem)
  if (proxy === undefined) {
    const connect = createGuardedConnector({ ...times, allowPrivate, secureContext, guard })
    return { origin, forwarded: undefined, connect }
  }
  if (origin.startsWith('https:')) {
    const connect = createProxiedConnector({ proxy, ...times, allowPrivate, secureContext })
    return { origin, forwarded: undefined, connect }
  }
  const { url, authorization } = readProxy(proxy)
  return {
    origin: url.origin,
    forwarded: { pathPrefix: origin, headers: { ...authorization, host: new URL(origin).host } },
    connect: createForwardingConnector({
      destination: new URL(origin),
      ...times,
      allowPrivate,
      secureContext,
    }),
  }
}

/** Builds the trusted certificates. Called once for each pool, because it loads all certificates of the machine. */
function trust(pem: string | undefined): SecureContext | undefined {
  return pem === undefined ? undefined : createSecureContext({ ca: [...getCACertificates('default'), pem] })
}

interface ForwardingConnectorOptions {
  /** The destination of the requests that the proxy forwards. */
  readonly destination: URL
  readonly connectTimeoutMs: number
  readonly tlsTimeoutMs: number
  readonly allowPrivate: boolean
  readonly secureContext: SecureContext | undefined
}

/**
 * Opens connections to a forwarding proxy. The requests' host is not the proxy's, so the proxy's name is set
 * explicitly.
 */
function createForwardingConnector(options: ForwardingConnectorOptions): buildConnector.connector {
  const { destination, allowPrivate } = options
  const refusal = allowPrivate ? undefined : judgeWrittenHost(destination)
  const connect = createTimedConnector(options)
  return function connectToProxy(target, callback) {
    const host = bareHost(target)
    if (refusal === undefined) connect({ ...target, servername: isIP(host) === 0 ? host : '' }, callback)
    else callback(refusal, null)
  }
}
