import { isIP } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { bareHost } from '../kit/net/bare-host.ts'
import { isPublicAddress } from '../kit/net/is-public-address.ts'
import { createPublicLookup, type ResolveName } from './look-up-public.ts'
import { createTimedConnector } from './timed-connector.ts'
import { DestinationRefusedError } from './transport-fault.ts'

/** By what the guard judges, where it is not the system's way and the public networks. */
export interface AddressGuard {
  readonly resolve?: ResolveName
  readonly isAllowed?: (address: string) => boolean
}

/**
 * Opens connections to public addresses only. The address is checked where it is dialled, after the name was looked
 * up and on every dial, so that a name cannot lead elsewhere later.
 */
export function createGuardedConnector(options: {
  readonly connectTimeoutMs: number
  readonly tlsTimeoutMs: number
  readonly allowPrivate: boolean
  /** What is trusted, where it is more than the machine's own certificates. */
  readonly secureContext?: SecureContext | undefined
  readonly guard?: AddressGuard | undefined
}): buildConnector.connector {
  const { resolve, isAllowed = isPublicAddress } = options.guard ?? {}
  const connect = tellingItsSocket(
    createTimedConnector({
      connectTimeoutMs: options.connectTimeoutMs,
      tlsTimeoutMs: options.tlsTimeoutMs,
      secureContext: options.secureContext,
      ...(options.allowPrivate ? {} : { lookup: createPublicLookup(resolve, isAllowed) }),
    }),
  )
  if (options.allowPrivate) return connect
  return function connectGuarded(target, callback) {
    const host = bareHost(target)
    if (isIP(host) !== 0 && !isAllowed(host)) {
      callback(new DestinationRefusedError(`${host} is not a public address`), null)
      return
    }
    connect(target, callback)
  }
}

/** A reset is the system's own error and knows no socket: it is told, so that a kept connection can be recognised. */
function tellingItsSocket(connect: buildConnector.connector): buildConnector.connector {
  return function connectTelling(target, callback) {
    connect(target, (...[error, socket]) => {
      if (error !== null) return callback(error, null)
      socket.prependListener('error', (fault: Error) => {
        if (!('socket' in fault)) Object.assign(fault, { socket: { bytesRead: socket.bytesRead } })
      })
      callback(null, socket)
    })
  }
}
