import type { Socket } from 'node:net'
import { createServer, type SecureVersion } from 'node:tls'
import type { TlsScript } from '../script/script-schema.ts'
import { rememberRawSocket } from '../socket/close-socket.ts'
import { makeTlsIdentity } from './tls-identity.ts'

export interface TlsServer {
  /** PEM of the root that a caller has to trust. */
  readonly authority: string
  /** Begins the handshake on a connection. `onSecure` gets the TLS connection. */
  accept(raw: Socket, onSecure: (socket: Socket) => void): void
}

const versions: Readonly<Record<NonNullable<TlsScript['version']>, SecureVersion>> = {
  '1.0': 'TLSv1',
  '1.1': 'TLSv1.1',
  '1.2': 'TLSv1.2',
  '1.3': 'TLSv1.3',
}

interface Pending {
  readonly raw: Socket
  readonly onSecure: (socket: Socket) => void
}

/** TLS on connections that another listener accepted, so that faults before the handshake are possible. */
export function openTlsServer({ certificate, version }: TlsScript): TlsServer {
  const { cert, key, authority } = makeTlsIdentity(certificate)
  const only = version === undefined ? {} : { minVersion: versions[version], maxVersion: versions[version] }
  // OpenSSL allows old versions only at the lowest security level.
  const server = createServer({ cert, key, ciphers: 'DEFAULT@SECLEVEL=0', ...only })
  const pending = new Map<string, Pending>()
  server.on('secureConnection', (secure) => {
    const connection = pending.get(addressOf(secure))
    if (connection === undefined) {
      secure.destroy()
      return
    }
    rememberRawSocket(secure, connection.raw)
    secure.once('close', () => connection.raw.destroy())
    connection.onSecure(secure)
  })
  // The TCP connection below a failed handshake would stay open.
  server.on('tlsClientError', (_error, secure) => {
    pending.get(addressOf(secure))?.raw.destroy()
    secure.destroy()
  })
  return {
    authority,
    accept(raw, onSecure) {
      const address = addressOf(raw)
      pending.set(address, { raw, onSecure })
      raw.once('close', () => pending.delete(address))
      server.emit('connection', raw)
    },
  }
}

/** Identifies a connection, before and after the handshake. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`
}
