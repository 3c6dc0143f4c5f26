import { type LookupAddress, type LookupOptions, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import { buildConnector } from 'undici'
import { isPublicAddress } from '../kit/is-public-address.ts'
import { DestinationRefusedError } from './transport-fault.ts'

/**
 * Opens connections to public addresses only. The address is checked where it is dialled, after the name was looked
 * up and on every dial, so that a name cannot lead elsewhere later.
 */
export function createGuardedConnector(options: {
  readonly connectTimeoutMs: number
  readonly allowPrivate: boolean
  /** What is trusted, where it is more than the machine's own certificates. */
  readonly secureContext?: SecureContext | undefined
}): buildConnector.connector {
  const connect = buildConnector({
    timeout: options.connectTimeoutMs,
    allowH2: false,
    ...(options.secureContext && { secureContext: options.secureContext }),
    ...(options.allowPrivate ? {} : { lookup: lookupPublic }),
  })
  if (options.allowPrivate) return connect
  return function connectGuarded(target, callback) {
    const host = target.hostname.replace(/^\[|\]$/g, '')
    if (isIP(host) !== 0 && !isPublicAddress(host)) {
      callback(new DestinationRefusedError(`${host} is not a public address`), null)
      return
    }
    connect(target, callback)
  }
}

const lookupPublic: LookupFunction = (hostname, options, callback) => {
  const all: LookupOptions & { all: true } = { ...options, all: true }
  lookup(hostname, all, (error, addresses: LookupAddress[]) => {
    if (error !== null) {
      callback(error, '', 0)
      return
    }
    const allowed = addresses.filter(({ address }) => isPublicAddress(address))
    const first = allowed[0]
    if (first === undefined) {
      callback(new DestinationRefusedError(`${hostname} leads to no public address`), '', 0)
      return
    }
    if (options.all === true) callback(null, allowed)
    else callback(null, first.address, first.family)
  })
}
