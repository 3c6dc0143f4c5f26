import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { SecureContext } from 'node:tls'
import type { buildConnector } from 'undici'
import { bareHost } from '../kit/net/bare-host.ts'
import { isPublicAddress } from '../kit/net/is-public-address.ts'
import { createTimedConnector } from './timed-connector.ts'
import { DestinationRefusedError } from './transport-fault.ts'

/** The rules of the guard, where they differ from the system's resolver and the public networks. */
export interface AddressGuard {
  readonly resolve?: ResolveName
  readonly isAllowed?: (address: string) => boolean
}

/**
 * Opens connections to public addresses only. The address is checked at every dial, after the name was resolved, so
 * that the name cannot point elsewhere later.
 */
export function createGuardedConnector(options: {
  readonly connectTimeoutMs: number
  readonly tlsTimeoutMs: number
  readonly allowPrivate: boolean
  /** The trusted certificates, where the channel adds some to the machine's own. */
  readonly secureContext?: SecureContext | undefined
  readonly guard?: AddressGuard | undefined
}): buildConnector.connector {
  const { resolve, isAllowed = isPublicAddress } = options.guard ?? {}
  const connect = createTimedConnector({
    connectTimeoutMs: options.connectTimeoutMs,
    tlsTimeoutMs: options.tlsTimeoutMs,
    secureContext: options.secureContext,
    ...(options.allowPrivate ? {} : { lookup: createPublicLookup(resolve, isAllowed) }),
  })
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

/** Finds all addresses of a name. */
export type ResolveName = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Resolves a name and gives the socket only its public addresses. The checked addresses are the dialed ones: no
 * second look-up could return others.
 */
export function createPublicLookup(
  resolve: ResolveName = lookup,
  isAllowed: (address: string) => boolean = isPublicAddress,
): LookupFunction {
  return (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error !== null) {
        callback(error, '', 0)
        return
      }
      const allowed = addresses.filter(({ address }) => isAllowed(address))
      const first = allowed[0]
      if (first === undefined) {
        callback(new DestinationRefusedError(`${hostname} resolves to no public address`), '', 0)
        return
      }
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
