import {
  createServer,
  type RequestListener as HttpListener,
  type IncomingMessage,
  type Server,
  type ServerOptions,
} from 'node:http'
import { createServer as createSecureServer, type Server as SecureServer } from 'node:https'
import type { TlsIdentity } from '../../kit/net/tls-identity.ts'
import { UnbufferedRequest } from '../body/read-body.ts'

export type RequestListener = HttpListener<typeof UnbufferedRequest>

/**
 * The servers of one listener. A name such as `localhost` has an address in each family, and therefore a server for
 * each.
 */
export interface ServerSet {
  create(handle: RequestListener): Server
  /** Accepts no more connections. Fulfilled when the open ones have ended. Idle connections are closed at once. */
  close(): Promise<void>
  /** Closes all open connections, even with answers in progress. */
  cutOff(): void
  /** Uses another identity for new handshakes. Open connections stay. */
  replaceIdentity(identity: TlsIdentity): void
  /** Applies to new connections. Open ones stay. */
  limitConnections(maxConnections: number): void
}

export interface ServerSetOptions {
  readonly http: ServerOptions
  readonly maxHeaders: number
  readonly connections: number
  /** Undefined for plain http. */
  readonly identity: TlsIdentity | undefined
  /** Whether a connection switches to another protocol. If not, the request is answered like any other. */
  readonly shouldUpgrade: (message: IncomingMessage) => boolean
}

/** The protocol of an encrypted connection: only secure versions of TLS, and only HTTP/1.1. */
const protocol = {
  minVersion: 'TLSv1.2',
  // Only forward secrecy and authenticated encryption (RFC 9325 §4.2): no static RSA, no CBC.
  ciphers: [
    'TLS_AES_128_GCM_SHA256',
    'TLS_AES_256_GCM_SHA384',
    'TLS_CHACHA20_POLY1305_SHA256',
    'ECDHE-ECDSA-AES128-GCM-SHA256',
    'ECDHE-RSA-AES128-GCM-SHA256',
    'ECDHE-ECDSA-AES256-GCM-SHA384',
    'ECDHE-RSA-AES256-GCM-SHA384',
    'ECDHE-ECDSA-CHACHA20-POLY1305',
    'ECDHE-RSA-CHACHA20-POLY1305',
  ].join(':'),
} as const

const encryption = { ...protocol, ALPNProtocols: ['http/1.1'], handshakeTimeout: 10_000 }

/**
 * The number of connections above the limit that are accepted, to answer that there are too many. Further connections
 * are dropped without an answer.
 */
const REPORTED_CONNECTIONS = 100

export function createServerSet(options: ServerSetOptions): ServerSet {
  const plain: Server<typeof UnbufferedRequest>[] = []
  const secure: SecureServer<typeof UnbufferedRequest>[] = []
  const { shouldUpgrade: shouldUpgradeCallback } = options
  const http = { ...options.http, IncomingMessage: UnbufferedRequest, shouldUpgradeCallback }
  let { identity, connections } = options

  function createOne(handle: RequestListener): Server {
    if (identity === undefined) {
      const server = createServer(http, handle)
      plain.push(server)
      return server
    }
    const server = createSecureServer({ ...http, ...encryption, ...identity }, handle)
    secure.push(server)
    return server
  }

  return {
    create(handle) {
      const server = createOne(handle)
      server.maxHeadersCount = options.maxHeaders
      server.maxConnections = connections + REPORTED_CONNECTIONS
      return server
    },
    replaceIdentity(next) {
      identity = next
      for (const server of secure) server.setSecureContext({ ...next, ...protocol })
    },
    async close() {
      await Promise.all([...plain, ...secure].map(closeOne))
    },
    cutOff() {
      for (const server of [...plain, ...secure]) server.closeAllConnections()
    },
    limitConnections(maxConnections) {
      connections = maxConnections
      for (const server of [...plain, ...secure])
        server.maxConnections = maxConnections + REPORTED_CONNECTIONS
    },
  }
}

function closeOne(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A server that never listened reports an error here, which can be ignored.
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
