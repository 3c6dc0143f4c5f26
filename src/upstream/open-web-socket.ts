import type { ClientRequestArgs } from 'node:http'
import type { Duplex } from 'node:stream'
import type { buildConnector } from 'undici'
import { WebSocket } from 'ws'
import { bareHost } from '../kit/net/bare-host.ts'
import { systemClock, type Timer } from '../kit/time/clock.ts'
import { type ConnectionTerms, mayShareConnections, termsOf } from './connection-terms.ts'
import type { AddressGuard } from './guarded-connector.ts'
import { planConnection } from './plan-connection.ts'
import { createProxiedConnector } from './proxied-connector.ts'
import { readTransportFault, type TransportFault } from './transport-fault.ts'
import type { UpstreamHeaders, UpstreamRequest } from './upstream.ts'
import { emptyBody } from './upstream-body.ts'

/** Receives the events of a WebSocket to a provider. After `onClose` there are no further events. */
export interface WebSocketListener {
  onText(text: string): void
  /** Called whenever bytes were sent, so that more bytes may be queued. */
  onSent(): void
  /** Called when the connection closed. The code is 1006 where the connection broke off. */
  onClose(code: number, reason: string): void
}

export interface UpstreamWebSocket {
  /** Sets the listener. Nothing is read before. */
  listen(listener: WebSocketListener): void
  send(text: string): void
  /** The bytes that wait to be sent to the provider. */
  readonly bufferedBytes: number
  pause(): void
  resume(): void
  close(code: number): void
  terminate(): void
}

export type OpenedWebSocket =
  | { readonly type: 'open'; readonly socket: UpstreamWebSocket }
  /** The provider answered over HTTP instead of opening a WebSocket. */
  | {
      readonly type: 'answered'
      readonly status: number
      readonly headers: UpstreamHeaders
      readonly body: Buffer
    }
  | { readonly type: 'failed'; readonly fault: TransportFault }

/** The destination and the headers of a WebSocket. */
export type WebSocketRequest = Pick<
  UpstreamRequest,
  | 'origin'
  | 'pathAndQuery'
  | 'headers'
  | 'connectTimeoutMs'
  | 'tlsTimeoutMs'
  | 'allowPrivate'
  | 'proxy'
  | 'authorities'
>

export type OpenWebSocket = (
  request: WebSocketRequest,
  handshakeTimeoutMs: number,
) => Promise<OpenedWebSocket>

/** The size limit of a provider's frame. Some seconds of sound take a megabyte. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024
const PING_EVERY_MS = 30_000
const MAX_ERROR_BYTES = 64 * 1024
const ERROR_TEXT_MS = 5_000

/** Makes the function that opens WebSockets, with the same address checks as calls over HTTP. */
export function createWebSocketOpener(guard?: AddressGuard): OpenWebSocket {
  const connectors = new Connectors(guard)
  return (request, handshakeTimeoutMs) => open(request, handshakeTimeoutMs, connectors)
}

function open(
  request: WebSocketRequest,
  handshakeTimeoutMs: number,
  connectors: Connectors,
): Promise<OpenedWebSocket> {
  const { promise, resolve } = Promise.withResolvers<OpenedWebSocket>()
  const webSocket = new WebSocket(`${request.origin.replace('http', 'ws')}${request.pathAndQuery}`, {
    headers: request.headers,
    perMessageDeflate: false,
    followRedirects: false,
    maxPayload: MAX_FRAME_BYTES,
    handshakeTimeout: handshakeTimeoutMs,
    createConnection: dialBy(connectors.to(request), request.origin),
  })
  const wrapped = new ProviderSocket(webSocket)
  webSocket.on('open', () => {
    // The socket is paused so that nothing is read and buffered before there is a listener.
    webSocket.pause()
    resolve({ type: 'open', socket: wrapped })
  })
  webSocket.on('unexpected-response', (sent, response) => {
    // From here on only the text of the error may take time. Its status is enough if the text does not end.
    sent.removeAllListeners('timeout')
    const textTimer = systemClock.startTimer(Math.min(handshakeTimeoutMs, ERROR_TEXT_MS), () =>
      response.destroy(),
    )
    const parts: Buffer[] = []
    let bytes = 0
    response.on('data', (part: Buffer) => {
      bytes += part.length
      if (bytes <= MAX_ERROR_BYTES) parts.push(part)
      else response.destroy()
    })
    response.on('close', () => {
      textTimer.cancel()
      const { statusCode: status = 0, headers } = response
      resolve({ type: 'answered', status, headers, body: Buffer.concat(parts) })
      webSocket.terminate()
    })
  })
  webSocket.on('error', (error) => resolve({ type: 'failed', fault: readTransportFault(error, 'nothing') }))
  return promise
}

/** The limit of cached connectors. No configuration has more, and those of earlier configurations are dropped. */
const MAX_CONNECTORS = 256

interface KnownConnector {
  readonly origin: string
  readonly terms: ConnectionTerms
  readonly connect: buildConnector.connector
}

/** The cached connectors to providers. Each is made once, because making one loads all certificates of the machine. */
class Connectors {
  readonly #guard: AddressGuard | undefined
  readonly #known: KnownConnector[] = []

  constructor(guard: AddressGuard | undefined) {
    this.#guard = guard
  }

  to(request: WebSocketRequest): buildConnector.connector {
    const { origin } = request
    const known = this.#known.find((one) => one.origin === origin && mayShareConnections(one.terms, request))
    if (known !== undefined) return known.connect
    const added = { origin, terms: termsOf(request), connect: createConnector(request, this.#guard) }
    if (this.#known.length >= MAX_CONNECTORS) this.#known.shift()
    this.#known.push(added)
    return added.connect
  }
}

/** Connects like a call over HTTP. Through a proxy it always uses a tunnel. */
function createConnector(
  request: WebSocketRequest,
  guard: AddressGuard | undefined,
): buildConnector.connector {
  const { origin, proxy, allowPrivate, connectTimeoutMs, tlsTimeoutMs = connectTimeoutMs } = request
  if (proxy === undefined || !origin.startsWith('http:'))
    return planConnection({ ...request, method: 'GET', body: emptyBody }, guard).connect
  return createProxiedConnector({
    proxy,
    connectTimeoutMs,
    tlsTimeoutMs,
    allowPrivate,
    secureContext: undefined,
  })
}

/** Adapts a connector to the form that Node's client accepts. */
function dialBy(connect: buildConnector.connector, origin: string) {
  const url = new URL(origin)
  const { host, port, protocol } = url
  const hostname = bareHost(url)
  return (
    _options: ClientRequestArgs,
    onConnected?: (error: Error | null, socket: Duplex) => void,
  ): undefined => {
    connect({ hostname, host, port, protocol }, (...[error, socket]) => {
      if (error === null) onConnected?.(null, socket)
      // Node's type requires a socket, but Node checks the error first.
      else if (onConnected !== undefined) Reflect.apply(onConnected, undefined, [error])
    })
    return undefined
  }
}

class ProviderSocket implements UpstreamWebSocket {
  readonly #webSocket: WebSocket
  #listener: WebSocketListener | undefined
  #closed: readonly [code: number, reason: string] | undefined
  /** Whether any bytes came since the last ping. */
  #isAlive = true
  readonly #pings: Timer

  constructor(webSocket: WebSocket) {
    this.#webSocket = webSocket
    this.#pings = systemClock.startTimer(PING_EVERY_MS, () => this.#ping())
    webSocket.on('pong', () => {
      this.#isAlive = true
    })
    webSocket.on('message', (data) => {
      this.#isAlive = true
      // Gemini sends its texts as binary messages. No other supported protocol has binary events.
      this.#listener?.onText(String(data))
    })
    webSocket.on('close', (code, reason) => {
      this.#pings.cancel()
      this.#closed = [code, String(reason)]
      this.#listener?.onClose(...this.#closed)
    })
  }

  listen(listener: WebSocketListener): void {
    this.#listener = listener
    if (this.#closed === undefined) this.resume()
    else listener.onClose(...this.#closed)
  }

  send(text: string): void {
    if (this.#webSocket.readyState !== this.#webSocket.OPEN) return
    this.#webSocket.send(text, () => this.#listener?.onSent())
  }

  get bufferedBytes(): number {
    return this.#webSocket.bufferedAmount
  }

  pause(): void {
    if (this.#webSocket.readyState === this.#webSocket.OPEN) this.#webSocket.pause()
  }

  resume(): void {
    this.#webSocket.resume()
  }

  close(code: number): void {
    this.#webSocket.resume()
    this.#webSocket.close(code)
  }

  terminate(): void {
    this.#webSocket.terminate()
  }

  /** Closes a connection from which nothing came between two pings. What a paused connection has sent is not read. */
  #ping(): void {
    const webSocket = this.#webSocket
    if (webSocket.readyState === webSocket.OPEN && !webSocket.isPaused) {
      if (!this.#isAlive) webSocket.terminate()
      this.#isAlive = false
      if (webSocket.readyState === webSocket.OPEN) webSocket.ping()
    }
    this.#pings.restart()
  }
}
