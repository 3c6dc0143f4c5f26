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

/** The servers of one listener: a name such as `localhost` has an address of each family, and so a server for each. */
export interface ServerSet {
  create(handle: RequestListener): Server
  /** Takes no more connections; done when those that are open have ended. Idle ones are ended at once. */
  close(): Promise<void>
  /** Ends what is open, answers on their way out among it. */
  cutOff(): void
  /** Gives new handshakes another identity; connections that are open go on. */
  replaceIdentity(identity: TlsIdentity): void
  /** Applies to new connections; open ones stay. */
  limitConnections(maxConnections: number): void
}

export interface ServerSetOptions {
  readonly http: ServerOptions
  readonly maxHeaders: number
  readonly connections: number
  /** Undefined for plain http. */
  readonly identity: TlsIdentity | undefined
  /** Whether a connection becomes one of another protocol; where not, the request is answered as any other. */
  readonly shouldUpgrade: (message: IncomingMessage) => boolean
}

/** The protocol of an encrypted connection: no version of TLS that is broken, and HTTP/1.1 alone. */
const protocol = {
  minVersion: 'TLSv1.2',
  // Forward secrecy and authenticated encryption alone (RFC 9325 §4.2): no static RSA, no CBC.
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
 * The connections above the limit that are accepted to get the answer that there are too many. Beyond, connections are
 * dropped without a word.
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
    // A server that never listened reports an error, which is as good.
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
