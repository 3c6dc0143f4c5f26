import type { Socket } from 'node:net'
import { createServer, type SecureVersion } from 'node:tls'
import type { TlsScript } from '../script/script-schema.ts'
import { noteRawSocket } from '../socket/close-socket.ts'
import { makeTlsIdentity } from './tls-identity.ts'

export interface SecureDoor {
  /** PEM of the root that a caller has to trust. */
  readonly authority: string
  /** Begins the handshake on a connection; what comes out of it goes to `onSecure`. */
  enter(raw: Socket, onSecure: (socket: Socket) => void): void
}

const versions: Readonly<Record<NonNullable<TlsScript['version']>, SecureVersion>> = {
  '1.0': 'TLSv1',
  '1.1': 'TLSv1.1',
  '1.2': 'TLSv1.2',
  '1.3': 'TLSv1.3',
}

interface Guest {
  readonly raw: Socket
  readonly onSecure: (socket: Socket) => void
}

/** TLS for connections that were accepted elsewhere, so that anything can happen before the handshake. */
export function openSecureDoor({ certificate, version }: TlsScript): SecureDoor {
  const { cert, key, authority } = makeTlsIdentity(certificate)
  const only = version === undefined ? {} : { minVersion: versions[version], maxVersion: versions[version] }
  // Old versions are only spoken at the lowest level of security.
  const server = createServer({ cert, key, ciphers: 'DEFAULT@SECLEVEL=0', ...only })
  const guests = new Map<string, Guest>()
  server.on('secureConnection', (secure) => {
    const guest = guests.get(addressOf(secure))
    if (guest === undefined) {
      secure.destroy()
      return
    }
    noteRawSocket(secure, guest.raw)
    secure.once('close', () => guest.raw.destroy())
    guest.onSecure(secure)
  })
  // Where the handshake failed, the TCP connection below would stay.
  server.on('tlsClientError', (_error, secure) => {
    guests.get(addressOf(secure))?.raw.destroy()
    secure.destroy()
  })
  return {
    authority,
    enter(raw, onSecure) {
      const address = addressOf(raw)
      guests.set(address, { raw, onSecure })
      raw.once('close', () => guests.delete(address))
      server.emit('connection', raw)
    },
  }
}

/** By which both ends of a connection know it, secure or not. */
function addressOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress}:${remotePort}`
}
