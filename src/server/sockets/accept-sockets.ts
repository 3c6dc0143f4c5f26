import { type IncomingMessage, STATUS_CODES } from 'node:http'
import { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { failureOf, GatewayError } from '../../canonical/failure.ts'
import { asksForDryRun } from '../../pipeline/exchange/dry-run.ts'
import { renderFailure } from '../../pipeline/response/response-writer.ts'
import { authenticate } from '../authenticate-request.ts'
import { checkHead } from '../check-head.ts'
import { endConnection } from '../end-connection.ts'
import { logAnsweredRequest } from '../log-answered-request.ts'
import type { RequestHead } from '../request-head.ts'
import { toVersionPath } from '../to-version-path.ts'
import { SocketConnection } from './socket-connection.ts'
import type { CallerSocket, SocketHandler } from './socket-handler.ts'
import type { AdmittedSocket, SocketOptions, SocketRoute } from './socket-options.ts'

/** The result of the check of a WebSocket offer. */
type Offer =
  | { readonly type: 'admitted'; readonly admitted: AdmittedSocket }
  | { readonly type: 'refused'; readonly error: unknown }

/** A connection to be upgraded to a WebSocket, with the bytes that arrived after its offer. */
interface UpgradeArrival {
  readonly message: IncomingMessage
  readonly socket: Socket
  readonly head: Buffer
}

/** Admits callers over WebSocket. */
export interface SocketAcceptor {
  /**
   * Checks an offer before the answer 101. Returns true if the connection becomes a WebSocket. If not, the request is
   * answered like any other.
   */
  judge(message: IncomingMessage): boolean
  /** The reason why a caller was refused; undefined if the request is not a valid offer. */
  refusalOf(message: IncomingMessage): unknown
  /** Answers 101 and serves the connection. */
  accept(message: IncomingMessage, socket: Duplex, head: Buffer): void
}

export interface AcceptorParts {
  readonly routes: readonly SocketRoute[]
  readonly openHead: (message: IncomingMessage, route: SocketRoute) => RequestHead
}

const KEY = /^[+/0-9A-Za-z]{22}==$/

/** Whether a request offers to become a WebSocket, in the only version of the protocol (RFC 6455 §4.2.1). */
function offersWebSocket({ method, headers }: IncomingMessage): boolean {
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    KEY.test(headers['sec-websocket-key'] ?? '')
  )
}

export function createSocketAcceptor(options: SocketOptions, parts: AcceptorParts): SocketAcceptor {
  return new Acceptor(options, parts)
}

class Acceptor implements SocketAcceptor {
  readonly #options: SocketOptions
  readonly #parts: AcceptorParts
  readonly #offers = new WeakMap<IncomingMessage, Offer>()
  #server: { readonly maxBytes: number; readonly webSockets: WebSocketServer } | undefined

  constructor(options: SocketOptions, parts: AcceptorParts) {
    this.#options = options
    this.#parts = parts
  }

  judge(message: IncomingMessage): boolean {
    try {
      const route = this.#findRoute(message)
      if (route === undefined) return false
      const offer = this.#admit(message, route)
      this.#offers.set(message, offer)
      return offer.type === 'admitted'
    } catch (error) {
      this.#options.reportFault('an offer of WebSocket', error)
      return false
    }
  }

  refusalOf(message: IncomingMessage): unknown {
    const offer = this.#offers.get(message)
    return offer?.type === 'refused' ? offer.error : undefined
  }

  accept(message: IncomingMessage, socket: Duplex, head: Buffer): void {
    const offer = this.#offers.get(message)
    if (offer?.type !== 'admitted' || !(socket instanceof Socket)) {
      socket.destroy()
      return
    }
    const { admitted } = offer
    const { open, prepare } = admitted.route
    if (prepare !== undefined) void this.#prepare(admitted, { message, socket, head })
    else if (open !== undefined)
      this.#upgrade({ message, socket, head }, admitted, (connection) =>
        open(admitted, connection, this.#options),
      )
  }

  /** The error for a key that has the maximum number of connections. */
  #findCapFault(keyId: string): GatewayError | undefined {
    const { sockets, webSocket } = this.#options
    const max = webSocket()?.socketsOfKey ?? 0
    return sockets.countOf(keyId) >= max ? tooManySockets(max) : undefined
  }

  /**
   * Opens everything that the connection needs, and then answers 101. If that fails, answers over HTTP. Never rejects.
   */
  async #prepare(admitted: AdmittedSocket, arrival: UpgradeArrival): Promise<void> {
    const { socket } = arrival
    const ignore = () => undefined
    socket.on('error', ignore)
    const { gone, stop } = watchEnd(socket)
    try {
      const prepared = await admitted.route.prepare?.(admitted, this.#options, gone)
      if (prepared === undefined) return void socket.destroy()
      const hasLeft = gone.aborted || !socket.writable
      const fault = hasLeft
        ? new GatewayError('client_closed_request')
        : this.#findCapFault(admitted.caller.keyId)
      if (fault !== undefined) {
        prepared.abandon()
        throw fault
      }
      socket.off('error', ignore)
      stop()
      this.#upgrade(arrival, admitted, (connection) => prepared.open(connection), prepared.abandon)
    } catch (error) {
      stop()
      answerRefusal(error, admitted, { socket, options: this.#options })
    }
  }

  #upgrade(
    { message, socket, head }: UpgradeArrival,
    admitted: AdmittedSocket,
    ...[open, abandon]: [open: (socket: CallerSocket) => SocketHandler, abandon?: () => void]
  ): void {
    try {
      this.#webSockets().handleUpgrade(message, socket, head, (webSocket) =>
        this.#open(admitted, open, { webSocket, socket }),
      )
    } catch (error) {
      this.#options.reportFault('a WebSocket connection', error)
      abandon?.()
      socket.destroy()
    }
  }

  /** The operation of a valid offer; undefined if the offer cannot be accepted. */
  #findRoute(message: IncomingMessage): SocketRoute | undefined {
    if (this.#options.webSocket() === undefined || !offersWebSocket(message)) return undefined
    // A dry run is answered over HTTP. If an earlier answer on this connection is still to be sent, frames would mix
    // with it.
    if (asksForDryRun(message.headers) || owesAnswer(message.socket)) return undefined
    const [path = ''] = (message.url ?? '').split('?', 1)
    const plain = toVersionPath(path)
    return this.#parts.routes.find((route) => route.path === plain)
  }

  /** Admits a caller, or returns the error for the answer. */
  #admit(message: IncomingMessage, route: SocketRoute): Offer {
    try {
      checkHead(message)
      const head = this.#parts.openHead(message, route)
      const caller = route.authenticate?.(head, this.#options) ?? authenticate(head, route, this.#options)
      const fault = this.#findCapFault(caller.keyId)
      if (fault !== undefined) throw fault
      return { type: 'admitted', admitted: { head, caller, route } }
    } catch (error) {
      return { type: 'refused', error }
    }
  }

  #open(
    admitted: AdmittedSocket,
    open: (socket: CallerSocket) => SocketHandler,
    { webSocket, socket }: { readonly webSocket: WebSocket; readonly socket: Socket },
  ): void {
    const { sockets, clock, bodies, reportFault, webSocket: policy } = this.#options
    const connection = new SocketConnection({
      webSocket,
      socket,
      keyId: admitted.caller.keyId,
      clock,
      bodies,
      reportFault,
      idleMs: () => policy()?.idleMs ?? 0,
    })
    const remove = sockets.add(connection)
    connection.serve(open(connection), remove)
    if (this.#options.gate.isDraining) connection.retire('draining')
  }

  /** The maximum frame size is the maximum body size. */
  #webSockets(): WebSocketServer {
    const { bodyBytes: maxBytes } = this.#options.limits
    if (this.#server?.maxBytes !== maxBytes) {
      const webSockets = new WebSocketServer({
        noServer: true,
        clientTracking: false,
        perMessageDeflate: false,
        maxPayload: maxBytes,
        // Each frame is processed in a separate turn of the event loop, so that many small frames do not block other
        // callers.
        allowSynchronousEvents: false,
        // Otherwise, a caller that sends pings and does not read would make pongs pile up.
        autoPong: false,
        // A browser sends its key as a subprotocol. The key is never returned.
        handleProtocols: (protocols) => (protocols.has('realtime') ? 'realtime' : false),
      })
      this.#server = { maxBytes, webSockets }
    }
    return this.#server.webSockets
  }
}

/**
 * Watches a connection that nobody reads yet for its end. A caller that has ended its side receives nothing over
 * WebSocket, since the connection closes as soon as its end is read. Bytes that arrive meanwhile stay unread.
 */
function watchEnd(socket: Socket): { readonly gone: AbortSignal; readonly stop: () => void } {
  const controller = new AbortController()
  const abort = () => controller.abort()
  if (socket.destroyed || socket.readableEnded) abort()
  const read = () => {
    // Without this, the end is not noticed. It takes no bytes, because none wait.
    if (socket.readableLength === 0) socket.read()
  }
  socket.on('readable', read).on('end', abort).on('close', abort)
  return {
    gone: controller.signal,
    stop: () => socket.off('readable', read).off('end', abort).off('close', abort),
  }
}

/** Whether an earlier request of the connection is not answered yet. Node stores the answer on the connection. */
function owesAnswer(socket: Socket): boolean {
  return '_httpMessage' in socket && socket._httpMessage !== null && socket._httpMessage !== undefined
}

function tooManySockets(max: number): GatewayError {
  return new GatewayError('concurrency_limit_exceeded', {
    message: `This API key has as many WebSocket connections open as it may (${max}). Close one, or use them for several requests.`,
  })
}

/** Answers over HTTP an offer that was admitted first and could not be served. */
function answerRefusal(
  error: unknown,
  { head, caller, route }: AdmittedSocket,
  { socket, options }: { readonly socket: Socket; readonly options: SocketOptions },
): void {
  if (!(error instanceof GatewayError)) options.reportFault('an offer of WebSocket', error)
  const { format, requestId } = head
  const failure = failureOf(error)
  const { status, headers, body } = renderFailure(failure, { format, requestId, headers: {} })
  const lines = {
    'content-type': 'application/json',
    'x-request-id': requestId,
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    connection: 'close',
  }
  const written = Object.entries(lines).map(([name, value]) => `${name}: ${value}`)
  const answer = [`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`, ...written, '', String(body)].join(
    '\r\n',
  )
  endConnection(socket, answer, options.clock)
  const identity = { type: 'caller', caller } as const
  logAnsweredRequest({ head, identity, refusal: { failure, error }, route, status }, options)
}
