import { isIP } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { bareHost } from '../kit/net/bare-host.ts'
import { judgeWrittenHost } from './judge-written-host.ts'
import { createTimedConnector } from './timed-connector.ts'

export interface ForwardingConnectorOptions {
  /** Where the requests that the proxy passes on are meant to go. */
  readonly destination: URL
  readonly connectTimeoutMs: number
  readonly tlsTimeoutMs: number
  readonly allowPrivate: boolean
  readonly secureContext: SecureContext | undefined
}

/** Opens connections to a proxy that passes requests on. Their host is not the proxy's, so the proxy's name is set. */
export function createForwardingConnector(options: ForwardingConnectorOptions): buildConnector.connector {
  const { destination, allowPrivate } = options
  const refusal = allowPrivate ? undefined : judgeWrittenHost(destination)
  const connect = createTimedConnector(options)
  return function connectToProxy(target, callback) {
    const host = bareHost(target)
    if (refusal === undefined) connect({ ...target, servername: isIP(host) === 0 ? host : '' }, callback)
    else callback(refusal, null)
  }
}
