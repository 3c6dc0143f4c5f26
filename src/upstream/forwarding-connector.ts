import { isIP } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { judgeWrittenHost } from './judge-written-host.ts'

export interface ForwardingConnectorOptions {
  /** Where the requests that the proxy passes on are meant to go. */
  readonly destination: URL
  readonly connectTimeoutMs: number
  readonly allowPrivate: boolean
  readonly secureContext: SecureContext | undefined
}

/** Opens connections to a proxy that passes requests on. Their host is not the proxy's, so the proxy's name is set. */
export function createForwardingConnector(options: ForwardingConnectorOptions): buildConnector.connector {
  const { destination, connectTimeoutMs, allowPrivate, secureContext } = options
  const refusal = allowPrivate ? undefined : judgeWrittenHost(destination.hostname)
  const connect = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    ...(secureContext && { secureContext }),
  })
  return function connectToProxy(target, callback) {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (refusal === undefined) connect({ ...target, servername: isIP(host) === 0 ? host : '' }, callback)
    else callback(refusal, null)
  }
}
