import { lookup } from 'node:dns/promises'
import { once } from 'node:events'
import type { Server, ServerOptions } from 'node:http'
import { errorCodeOf } from '../../kit/errors/error-code.ts'
import type { ListenAddress } from '../../kit/net/listen-address-schema.ts'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'
import type { Clock, ReportFault } from '../../kit/time/clock.ts'
import { createRequestListener } from '../serve-requests.ts'
import { createConnectionCount } from './count-connection.ts'
import { guardServer } from './guard-server.ts'
import type { ListenerOptions } from './listener-options.ts'
import { serveInTurn } from './serve-in-turn.ts'
import { createServerSet, type ServerSet } from './server-set.ts'

export interface Listener {
  /** The address that it listens on, with the port that the system chose where it was 0. */
  readonly address: ListenAddress
  /**
   * Gives new handshakes another identity; connections that are open go on. Only for a listener that was opened with an
   * identity.
   */
  replaceIdentity(identity: TlsIdentity): void
  /** Applies a changed number of connections in `limits`; those that are open stay. */
  limitConnections(): void
  close(): Promise<void>
}

const MAX_HEADER_BYTES = 16_384
const MAX_HEADERS = 100

/**
 * Limits on how slowly a head may come in; Node's own defaults are minutes. How long the rest may take depends on its
 * size, so that is judged where bodies are read.
 */
const headTimeouts: ServerOptions = {
  maxHeaderSize: MAX_HEADER_BYTES,
  headersTimeout: 10_000,
  requestTimeout: 0,
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
  insecureHTTPParser: false,
  // The host is checked with the rest of the head, which says in words what is wrong.
  requireHostHeader: false,
}

/** Opens the listener. Fails with Node's error (`EADDRINUSE`, say) where the address cannot be had. */
export async function openListener(
  options: ListenerOptions,
  address: ListenAddress,
  identity?: TlsIdentity,
): Promise<Listener> {
  const servers = createServerSet({
    http: headTimeouts,
    maxHeaders: MAX_HEADERS,
    connections: options.limits.connections,
    identity,
  })
  const { clock, reportFault } = options
  const guard = { clock, reportFault, connections: createConnectionCount(options) }
  const serve = serveInTurn(createRequestListener(options), options)
  let isClosing = false
  const create = () =>
    guardServer(
      servers.create((message, response) => {
        if (isClosing) response.shouldKeepAlive = false
        serve(message, response)
      }),
      guard,
    )
  const port = await listenEverywhere(address, create, reportFault)
  return {
    address: { host: address.host, port },
    replaceIdentity: servers.replaceIdentity,
    limitConnections: () => servers.limitConnections(options.limits.connections),
    async close() {
      isClosing = true
      await closeServers(servers, options.clock)
    },
  }
}

/** The time that answers on their way out get once the listener closes. */
const CLOSE_GRACE_MS = 500

/**
 * Idle connections go at once. One on which nothing was ever asked is not idle to Node, which would wait for it without
 * end; whatever is left after a moment goes too.
 */
async function closeServers(servers: ServerSet, clock: Clock): Promise<void> {
  const timer = clock.startTimer(CLOSE_GRACE_MS, servers.cutOff)
  await servers.close()
  timer.cancel()
}

/**
 * Opens a server on an address. `localhost` has one in each family that the machine speaks; the further ones are opened
 * where they can be, on the port of the first. Gives the port. Fails with Node's error (`EADDRINUSE`, say).
 */
async function listenEverywhere(
  { host, port }: { readonly host: string; readonly port: number },
  create: () => Server,
  reportFault: ReportFault,
): Promise<number> {
  const [first = host, ...others] = host === 'localhost' ? await listAddresses(host) : [host]
  const opened = await listen(create(), first, port)
  for (const address of others) {
    // The first address serves already.
    await listen(create(), address, opened).catch((error: unknown) => {
      if (!isAddressUnavailable(error)) reportFault(`the listener on ${address}, port ${opened}`, error)
    })
  }
  return opened
}

/** Whether the address belongs to a family that is off, or has the port in use. */
function isAddressUnavailable(error: unknown): boolean {
  return ['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EADDRINUSE'].includes(errorCodeOf(error) ?? '')
}

async function listAddresses(host: string): Promise<readonly string[]> {
  const found = await lookup(host, { all: true })
  return [...new Set(found.map(({ address }) => address))]
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  server.listen({ host, port })
  await once(server, 'listening')
  const address = server.address()
  return typeof address === 'object' && address !== null ? address.port : port
}
