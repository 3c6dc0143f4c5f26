import { isIP } from 'node:net'
import { bareHost } from '../kit/net/bare-host.ts'
import { isPublicAddress } from '../kit/net/is-public-address.ts'
import { DestinationRefusedError } from './transport-fault.ts'

/**
 * Judges a host as far as that can be done without looking its name up, which behind a proxy is the proxy's part: one
 * that is written as an address must be public. Undefined where nothing speaks against it.
 */
export function judgeWrittenHost(target: { readonly hostname: string }): DestinationRefusedError | undefined {
  const host = bareHost(target)
  if (isIP(host) === 0 || isPublicAddress(host)) return undefined
  return new DestinationRefusedError(`${host} is not a public address`)
}
