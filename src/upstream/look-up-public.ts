import { type LookupAddress, type LookupAllOptions, lookup } from 'node:dns'
import type { LookupFunction } from 'node:net'
import { isPublicAddress } from '../kit/net/is-public-address.ts'
import { DestinationRefusedError } from './transport-fault.ts'

/** Finds all addresses of a name. */
export type ResolveName = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: Error | null, addresses: LookupAddress[]) => void,
) => void

/**
 * Looks a name up and gives the socket its public addresses alone. What is checked is what is dialled: there is no
 * second look-up that could answer otherwise.
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
        callback(new DestinationRefusedError(`${hostname} leads to no public address`), '', 0)
        return
      }
      if (options.all === true) callback(null, allowed)
      else callback(null, first.address, first.family)
    })
  }
}
