import type { Socket } from 'node:net'
import { type buildConnector, Client, type Dispatcher, Pool } from 'undici'
import type { DeadBuffers } from '../kit/memory/dead-buffers.ts'
import { CallHandler } from './call-handler.ts'
import { type ConnectionTerms, mayShareConnections, termsOf } from './connection-terms.ts'
import type { AddressGuard } from './guarded-connector.ts'
import { type Forwarded, planConnection } from './plan-connection.ts'
import type { Upstream, UpstreamFlow, UpstreamListener, UpstreamRequest } from './upstream.ts'
import { openParts, PartsReadable } from './upstream-body.ts'

export interface UpstreamOptions {
  /** The time for which an idle connection stays open. */
  readonly keepAliveMs: number
  readonly guard?: AddressGuard
  readonly deadBuffers?: Pick<DeadBuffers, 'add'> | undefined
}

export const defaultUpstreamOptions: UpstreamOptions = { keepAliveMs: 30_000 }

/**
 * Opens the connection pools to all providers. They use HTTP/1.1, follow no redirects, and use no proxy except the
 * request's own.
 */
export function openUpstream(options: UpstreamOptions = defaultUpstreamOptions): Upstream {
  return new PooledUpstream(options)
}

class PooledUpstream implements Upstream {
  readonly #options: UpstreamOptions
  readonly #pools = new Map<string, ConnectionPool[]>()
  /** Clients whose connection serves a single call. */
  readonly #single = new Set<Client>()

  constructor(options: UpstreamOptions) {
    this.#options = options
  }

  call(request: UpstreamRequest, listener: UpstreamListener): UpstreamFlow {
    const pool = this.#poolFor(request)
    const { forwarded } = pool
    const terms = {
      isForwarded: forwarded !== undefined,
      mayInflate: request.mayInflate === true,
      deadBuffers: this.#options.deadBuffers,
    }
    const handler = new CallHandler(listener, terms)
    const call = dispatchOptionsOf(request, forwarded)
    if (request.onNewConnection === true) {
      this.#dispatchAlone(pool.openClient(), call, handler)
    } else {
      pool.dispatcher ??= pool.openDispatcher()
      pool.dispatcher.dispatch(call, handler)
    }
    return handler
  }

  async close(): Promise<void> {
    const dispatchers = [...this.#pools.values()].flat().map(({ dispatcher }) => dispatcher)
    await Promise.all([...dispatchers, ...this.#single].map((dispatcher) => dispatcher?.destroy()))
    this.#pools.clear()
  }

  #poolFor(request: UpstreamRequest): ConnectionPool {
    const toOrigin = this.#pools.get(request.origin) ?? []
    const known = toOrigin.find(({ terms }) => mayShareConnections(terms, request))
    if (known !== undefined) return known
    const pool = createConnectionPool(request, this.#options)
    // A pool for a single call is not stored, because callers can name any number of addresses.
    if (request.onNewConnection !== true) this.#pools.set(request.origin, [...toOrigin, pool])
    return pool
  }

  /** Makes one call on one connection, which closes when the call ends. */
  #dispatchAlone(client: Client, call: Dispatcher.DispatchOptions, handler: CallHandler): void {
    this.#single.add(client)
    client.dispatch({ ...call, reset: true }, handler)
    void client.close().then(() => this.#single.delete(client))
  }
}

function dispatchOptionsOf(
  request: UpstreamRequest,
  forwarded: Forwarded | undefined,
): Dispatcher.DispatchOptions {
  const path = forwarded === undefined ? request.pathAndQuery : forwarded.pathPrefix + request.pathAndQuery
  const headers = forwarded === undefined ? request.headers : { ...request.headers, ...forwarded.headers }
  if (request.body.type === 'upload') {
    const { upload } = request.body
    const length = upload.length === undefined ? {} : { 'content-length': String(upload.length) }
    return { method: request.method, path, headers: { ...headers, ...length }, body: upload.open() }
  }
  const body = openParts(request.body.parts)
  return {
    method: request.method,
    path,
    headers: body instanceof PartsReadable ? body.announce(headers) : headers,
    body,
  }
}

function createConnectionPool(request: UpstreamRequest, options: UpstreamOptions): ConnectionPool {
  const { origin, forwarded, connect } = planConnection(request, options.guard)
  const settings = {
    pipelining: 1,
    keepAliveTimeout: options.keepAliveMs,
    keepAliveMaxTimeout: options.keepAliveMs,
    // Our own timers watch each phase. The library's timers would cut off long silent reasoning.
    headersTimeout: 0,
    bodyTimeout: 0,
    maxHeaderSize: 65_536,
    // With HTTP/2 allowed, the pool would hold back all calls until the first handshake has chosen the version.
    allowH2: false,
    connect,
  }
  return {
    terms: termsOf(request),
    forwarded,
    // A pool has as many connections as calls, since an open stream needs its own connection. `limits.connections`
    // bounds the calls.
    openDispatcher: () => new Pool(origin, { ...settings, factory: (to) => new TrackedClient(to, settings) }),
    openClient: () => new Client(origin, settings),
    dispatcher: undefined,
  }
}

/** The connections to one origin whose requests have the same terms. */
interface ConnectionPool {
  readonly terms: ConnectionTerms
  /** The pool, opened with the first call. */
  dispatcher: Pool | undefined
  openDispatcher(): Pool
  /** The form of requests to a forwarding proxy. Undefined if the connection goes directly to the upstream. */
  readonly forwarded: Forwarded | undefined
  /** Opens a connection for one call, outside of the pool. */
  openClient(): Client
}

/** A client of one connection at a time, which calls can ask for the bytes that it has received. */
class TrackedClient extends Client {
  readonly #tracker: ConnectionTracker

  constructor(origin: URL, options: Client.Options & { readonly connect: buildConnector.connector }) {
    const tracker = new ConnectionTracker()
    super(origin, { ...options, connect: tracker.track(options.connect) })
    this.#tracker = tracker
  }

  override dispatch(call: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    if (handler instanceof CallHandler) handler.useConnection(this.#tracker)
    return super.dispatch(call, handler)
  }
}

class ConnectionTracker {
  #socket: Socket | undefined

  /** The bytes that the connection has received since it was opened. */
  get bytesRead(): number {
    return this.#socket?.bytesRead ?? 0
  }

  track(connect: buildConnector.connector): buildConnector.connector {
    return (target, callback) => {
      connect(target, (...[error, socket]) => {
        if (error !== null) return callback(error, null)
        this.#socket = socket
        callback(null, socket)
      })
    }
  }
}
