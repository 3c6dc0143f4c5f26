import type { Server, ServerOptions } from 'node:http'
import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { ConnectionSource } from '../handed/connection-source.ts'
import { createRequestListener } from '../serve-requests.ts'
import { createConnectionCount } from './count-connection.ts'
import { guardServer } from './guard-server.ts'
import { listenEverywhere } from './listen-everywhere.ts'
import type { ListenerOptions } from './listener-options.ts'
import { serveInTurn } from './serve-in-turn.ts'
import { createServerSet, type ServerSet } from './server-set.ts'

export interface Listener {
  /** The listening address, with the actual port if port 0 was configured. */
  readonly address: ListenAddress
  /**
   * Uses another identity for new handshakes. Open connections stay. Only for a listener that was opened with an
   * identity.
   */
  replaceIdentity(identity: TlsIdentity): void
  /** Applies a changed number of connections in `limits`. Open connections stay. */
  limitConnections(): void
  /** Answers the requests on open connections, and closes each connection with its answer. */
  retire(): void
  close(): Promise<void>
}

const MAX_HEADER_BYTES = 16_384
const MAX_HEADERS = 100

/**
 * Limits on how slowly a head may arrive, since Node's own defaults are minutes. The allowed time for a body depends on
 * its size, and is checked where bodies are read.
 */
const headTimeouts: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 10_000,
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  insecureHTTPParser: false,
  // The host is checked with the rest of the head, with a message that explains the error.
  requireHostHeader: false,
}

export interface ListenTerms {
  readonly address: ListenAddress
  /** Undefined for plain http. */
  readonly identity?: TlsIdentity | undefined
  /** The source of the connections; undefined if the server listens itself. */
  readonly source?: ConnectionSource | undefined
}

/** Opens the listener. Fails with Node's error (such as `EADDRINUSE`) if the address is not available. */
export async function openListener(
  options: ListenerOptions,
  { address, identity, source }: ListenTerms,
): Promise<Listener> {
  const { onRequest, acceptor } = createRequestListener(options)
  const servers = createServerSet({
    http: headTimeouts,
    maxHeaders: MAX_HEADERS,
    connections: options.limits.connections,
    identity,
    shouldUpgrade: (message) => acceptor.judge(message),
  })
  const { clock, reportFault } = options
  const guard = { clock, reportFault, connections: createConnectionCount(options) }
  const serve = serveInTurn(onRequest, options)
  let isClosing = false
  const create = () =>
    guardServer(
      servers.create((message, response) => {
        if (isClosing) response.shouldKeepAlive = false
        if (options.relay?.(message, response) !== true) serve(message, response)
      }),
      guard,
    ).on('upgrade', acceptor.accept.bind(acceptor))
  const port =
    source === undefined ? await listenEverywhere(address, create, reportFault) : await attach(source, create)
  return {
    address: { host: address.host, port },
    replaceIdentity: servers.replaceIdentity,
    limitConnections: () => servers.limitConnections(options.limits.connections),
    retire() {
      isClosing = true
    },
    async close() {
      isClosing = true
      await closeServers(servers, options.clock, source)
    },
  }
}

async function attach(source: ConnectionSource, create: () => Server): Promise<number> {
  await source.attach(create())
  return source.port
}

/** The time for answers in progress after the listener closes. */
const CLOSE_GRACE_MS = 500

/**
 * Closes the servers. Idle connections are closed at once. Node does not consider a connection idle before its first
 * request, and would wait for it forever. Therefore all remaining connections are closed after `CLOSE_GRACE_MS`.
 */
async function closeServers(servers: ServerSet, clock: Clock, source?: ConnectionSource): Promise<void> {
  const timer = clock.startTimer(CLOSE_GRACE_MS, servers.cutOff)
  await servers.close()
  await source?.ended()
  timer.cancel()
}
