import { isIP } from 'node:net'
import { bareHost } from '../kit/net/bare-host.ts'
import { isPublicAddress } from '../kit/net/is-public-address.ts'
import { DestinationRefusedError } from './transport-fault.ts'

/**
 * Checks a host without resolving its name, since behind a proxy the proxy resolves names. A host that is written as
 * an address must be public. Undefined where no rule refuses the host.
 */
export function judgeWrittenHost(target: { readonly hostname: string }): DestinationRefusedError | undefined {
  const host = bareHost(target)
  if (isIP(host) === 0 || isPublicAddress(host)) return undefined
  return new DestinationRefusedError(`${host} is not a public address`)
}
