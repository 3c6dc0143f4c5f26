import { Client, type Dispatcher, Pool } from 'undici'
import type { AddressGuard } from './guarded-connector.ts'
import { GuardedListener } from './guarded-listener.ts'
import { createInflatingListener, type InflatingListener } from './inflating-listener.ts'
import { PartsReadable } from './parts-readable.ts'
import { type Forwarded, planConnection } from './plan-connection.ts'
import { ProxyRefusedError, readTransportFault, type TransportFault } from './transport-fault.ts'
import type {
  Upstream,
  UpstreamFlow,
  UpstreamHeaders,
  UpstreamListener,
  UpstreamRequest,
} from './upstream.ts'

export interface UpstreamOptions {
  /** Connections kept to one origin at most; calls beyond wait for one. */
  readonly connectionsPerOrigin: number
  /** How long an idle connection is kept. */
  readonly keepAliveMs: number
  readonly guard?: AddressGuard
}

export const defaultUpstreamOptions: UpstreamOptions = { connectionsPerOrigin: 4096, keepAliveMs: 30_000 }

/** Opens the pools through which every provider is reached. HTTP/1.1, no redirects, and no proxy but the request's own. */
export function openUpstream(options: UpstreamOptions = defaultUpstreamOptions): Upstream {
  const ways = new Map<string, Way[]>()
  const single = new Set<Client>()

  function poolFor(request: UpstreamRequest): Way {
    const toOrigin = ways.get(request.origin) ?? []
    const known = toOrigin.find((way) => leadsAlike(way.terms, request))
    if (known !== undefined) return known
    const { origin, forwarded, connect } = planConnection(request, options.guard)
    const settings = {
      pipelining: 1,
      keepAliveTimeout: options.keepAliveMs,
      keepAliveMaxTimeout: options.keepAliveMs,
      // Our own timers watch each phase; the library's would cut long silent thinking.
      headersTimeout: 0,
      bodyTimeout: 0,
      maxHeaderSize: 65_536,
      // Else the pool would hold all calls back until the first handshake has told which version is spoken.
      allowH2: false,
      connect,
    }
    const way: Way = {
      terms: termsOf(request),
      forwarded,
      openPool: () => new Pool(origin, { connections: options.connectionsPerOrigin, ...settings }),
      openClient: () => new Client(origin, settings),
      pool: undefined,
    }
    // A call alone leaves nothing behind: there is no end of addresses that callers can name.
    if (request.onNewConnection !== true) ways.set(request.origin, [...toOrigin, way])
    return way
  }

  /** One connection for one call. It closes with the call's end. */
  function dispatchAlone(client: Client, call: Dispatcher.DispatchOptions, handler: CallHandler) {
    single.add(client)
    client.dispatch({ ...call, reset: true }, handler)
    void client.close().then(() => single.delete(client))
  }

  return {
    call(request, listener) {
      const way = poolFor(request)
      const { forwarded } = way
      const terms = { isForwarded: forwarded !== undefined, mayInflate: request.mayInflate === true }
      const handler = new CallHandler(listener, terms)
      const { method } = request
      const path = forwarded === undefined ? request.path : forwarded.pathPrefix + request.path
      const headers = forwarded === undefined ? request.headers : { ...request.headers, ...forwarded.headers }
      const body = joinSmall(request.body)
      const call = {
        method,
        path,
        headers: body instanceof PartsReadable ? body.announce(headers) : headers,
        body,
      }
      if (request.onNewConnection === true) {
        dispatchAlone(way.openClient(), call, handler)
      } else {
        way.pool ??= way.openPool()
        way.pool.dispatch(call, handler)
      }
      return handler
    },
    async close() {
      const pools = [...ways.values()].flat().map(({ pool }) => pool)
      await Promise.all([...pools, ...single].map((dispatcher) => dispatcher?.destroy()))
      ways.clear()
    },
  }
}

/** What of a request, beside its origin, decides over which connections it goes. */
type ConnectionTerms = Pick<
  UpstreamRequest,
  'allowPrivate' | 'connectTimeoutMs' | 'tlsTimeoutMs' | 'authorities' | 'proxy'
>

/** What is kept of a request, so that its body is not. */
function termsOf({
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
function leadsAlike(one: ConnectionTerms, other: ConnectionTerms): boolean {
  return (
    one.allowPrivate === other.allowPrivate &&
    one.connectTimeoutMs === other.connectTimeoutMs &&
    one.tlsTimeoutMs === other.tlsTimeoutMs &&
    one.authorities?.id === other.authorities?.id &&
    one.proxy === other.proxy
  )
}

interface Way {
  readonly terms: ConnectionTerms
  /** Of connections that are kept, from the first call on. */
  pool: Pool | undefined
  openPool(): Pool
  /** How a request is changed that a proxy passes on; undefined where the connection leads to the upstream itself. */
  readonly forwarded: Forwarded | undefined
  /** A connection of the call's own, beside those that are kept. */
  openClient(): Client
}

/** Up to this size one copy is cheaper than several writes. */
const MAX_JOINED_BYTES = 65_536

/** A small body in one piece; a large one in its parts, so that no second copy of it is made. */
function joinSmall(parts: readonly Buffer[]): Buffer | PartsReadable | null {
  const [first] = parts
  if (first === undefined) return null
  if (parts.length === 1) return first
  const bytes = parts.reduce((sum, part) => sum + part.length, 0)
  return bytes <= MAX_JOINED_BYTES ? Buffer.concat(parts, bytes) : new PartsReadable(parts)
}

const PROXY_ASKS_FOR_CREDENTIALS = 407

/** Servers send a few at most: a hint, or that they are still at work. */
const MAX_INTERIM_ANSWERS = 100

class AbortedByUs extends Error {}

function flowOf(controller: Dispatcher.DispatchController): UpstreamFlow {
  return {
    pause: () => controller.pause(),
    resume: () => controller.resume(),
    abort: () => controller.abort(new AbortedByUs()),
  }
}

interface CallTerms {
  /** A proxy passes the call on. */
  readonly isForwarded: boolean
  readonly mayInflate: boolean
}

/** The library's handler and the caller's hold on it in one, so that a call costs one object. */
class CallHandler implements Dispatcher.DispatchHandler, UpstreamFlow {
  readonly #listener: GuardedListener
  readonly #terms: CallTerms
  #controller: Dispatcher.DispatchController | undefined
  #isOver = false
  #sawHead = false
  #pauseRequested = false
  #interimAnswers = 0
  /** Where the answer comes compressed, between the connection and the listener. */
  #inflating: InflatingListener | undefined

  constructor(listener: UpstreamListener, terms: CallTerms) {
    this.#listener = new GuardedListener(listener, this)
    this.#terms = terms
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller
    if (this.#isOver) controller.abort(new AbortedByUs())
  }

  onRequestSent(): void {
    if (!this.#isOver) this.#listener.onSent()
  }

  onResponseStart(controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    if (this.#isOver) return
    // 1xx answers precede the real one.
    if (status < 200) {
      this.#noteInterimAnswer()
      return
    }
    const { isForwarded, mayInflate } = this.#terms
    if (isForwarded && status === PROXY_ASKS_FOR_CREDENTIALS) {
      const error = new ProxyRefusedError(`the proxy answered with status ${PROXY_ASKS_FOR_CREDENTIALS}`)
      this.#refuse(readTransportFault(error, false))
      return
    }
    this.#sawHead = true
    if (mayInflate && headers['content-encoding'] !== undefined)
      this.#inflating = createInflatingListener(headers, this.#listener, flowOf(controller))
    const sink = this.#inflating ?? this.#listener
    sink.onHead(status, headers)
    if (this.#pauseRequested && !this.#isOver) this.#controller?.pause()
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    if (this.#isOver) return
    if (this.#inflating === undefined) this.#listener.onData(chunk)
    else this.#inflating.onData(chunk)
  }

  onResponseEnd(): void {
    if (this.#isOver) return
    this.#isOver = true
    const sink = this.#inflating ?? this.#listener
    sink.onEnd()
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    if (this.#isOver) return
    this.#isOver = true
    const sink = this.#inflating ?? this.#listener
    sink.onFault(readTransportFault(error, this.#sawHead))
  }

  pause(): void {
    this.#pauseRequested = true
    if (this.#inflating === undefined) this.#controller?.pause()
    else this.#inflating.pause()
  }

  resume(): void {
    this.#pauseRequested = false
    if (this.#inflating === undefined) this.#controller?.resume()
    else this.#inflating.resume()
  }

  abort(): void {
    this.#inflating?.abort()
    if (this.#isOver) return
    this.#isOver = true
    this.#controller?.abort(new AbortedByUs())
  }

  #noteInterimAnswer(): void {
    this.#interimAnswers += 1
    if (this.#interimAnswers <= MAX_INTERIM_ANSWERS) return
    this.#refuse({ kind: 'bad-http', message: 'interim answers without end', onReusedConnection: false })
  }

  #refuse(fault: TransportFault): void {
    this.#isOver = true
    this.#controller?.abort(new AbortedByUs())
    this.#listener.onFault(fault)
  }
}
