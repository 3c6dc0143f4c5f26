import { type ClientRequest, request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type Socket } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { bareHost } from '../kit/net/bare-host.ts'
import { systemClock } from '../kit/time/clock.ts'
import { createEncryptor } from './create-encryptor.ts'
import { judgeWrittenHost } from './judge-written-host.ts'
import { readProxy } from './read-proxy.ts'
import { ProxyRefusedError, TunnelTimeoutError } from './transport-fault.ts'

export interface ProxiedConnectorOptions {
  readonly proxy: string
  /** The timeout until the tunnel is open. */
  readonly connectTimeoutMs: number
  /** The timeout of the TLS handshake through the tunnel. */
  readonly tlsTimeoutMs: number
  readonly allowPrivate: boolean
  /** The trusted certificates, for the proxy and for the upstream behind it. */
  readonly secureContext: SecureContext | undefined
}

/**
 * Opens connections through a tunnel that it requests from the proxy with CONNECT (RFC 9110 §9.3.6). The encryption
 * goes through the tunnel to the upstream itself. A plain WebSocket uses the tunnel as it is. The proxy resolves names,
 * so only a host that is written as an address can be checked here. The proxy's own address comes from the operator and
 * may be private.
 */
export function createProxiedConnector(options: ProxiedConnectorOptions): buildConnector.connector {
  const encrypt = createEncryptor(options)
  return function connectThroughProxy(target, callback) {
    const refusal = options.allowPrivate ? undefined : judgeWrittenHost(target)
    if (refusal !== undefined) {
      callback(refusal, null)
      return
    }
    openTunnel(options, authorityOf(target), (tunnel) => {
      if (tunnel instanceof Error) callback(tunnel, null)
      else if (target.protocol !== 'https:') callback(null, tunnel)
      else encrypt({ ...target, httpSocket: tunnel }, callback)
    })
  }
}

/** The destination of a tunnel. The network library gives an IPv6 address without the brackets that it needs here. */
function authorityOf(target: buildConnector.Options): string {
  const host = bareHost(target)
  return `${isIP(host) === 6 ? `[${host}]` : host}:${portOf(target)}`
}

function portOf({ port, protocol }: buildConnector.Options): string {
  return port === '' ? (protocol === 'https:' ? '443' : '80') : port
}

type TunnelListener = (tunnel: Socket | Error) => void

/** Requests a tunnel to `authority`. Calls `done` once. */
function openTunnel(options: ProxiedConnectorOptions, authority: string, done: TunnelListener): void {
  const request = askForTunnel(options, authority)
  const timer = systemClock.startTimer(options.connectTimeoutMs, () =>
    request.destroy(new TunnelTimeoutError(`the proxy opened no tunnel in ${options.connectTimeoutMs} ms`)),
  )
  let isOver = false
  const finish: TunnelListener = (tunnel) => {
    timer.cancel()
    if (isOver) return
    isOver = true
    done(tunnel)
  }
  request.on('error', (error) => finish(error))
  request.on('connect', (response, socket, head) => {
    const status = response.statusCode ?? 0
    if (status >= 200 && status < 300 && head.length === 0) {
      finish(socket)
      return
    }
    socket.destroy()
    finish(new ProxyRefusedError(`the proxy answered CONNECT with status ${status}`))
  })
  request.end()
}

function askForTunnel({ proxy, secureContext }: ProxiedConnectorOptions, authority: string): ClientRequest {
  const { url, authorization } = readProxy(proxy)
  const host = bareHost(url)
  const common = {
    method: 'CONNECT',
    host,
    port: url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port),
    path: authority,
    agent: false,
    headers: { host: authority, ...authorization },
  }
  return url.protocol === 'https:'
    ? requestHttps({
        ...common,
        servername: isIP(host) === 0 ? host : '',
        ...(secureContext && { secureContext }),
      })
    : requestHttp(common)
}
