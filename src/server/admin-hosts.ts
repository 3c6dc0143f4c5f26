import { isIP } from 'node:net'
import { refuse } from '../canonical/refusal.ts'
import { unmapAddress } from '../kit/net/unmap-address.ts'

/**
 * The host names under which the operators' paths may be requested, besides loopback and the listener's own addresses.
 */
export interface AdminHosts {
  /** The names from the configuration, in lower case and without a port. */
  readonly names: ReadonlySet<string>
  /** The host and port of an address that browsers reach over TLS, for example the address of a proxy. */
  readonly secureHost?: string | undefined
  /** The address at which browsers reach the gateway, if configured; without a trailing slash. */
  readonly publicUrl?: string | undefined
}

export interface RequestHost {
  /** The header "Host" as received. */
  readonly host: string | undefined
  /** The local address of the connection. */
  readonly localAddress: string | undefined
}

/**
 * Throws `unknown_host` if the header "Host" is not a known name of this listener. A web page in a browser on this
 * machine can make its own name resolve to this address (DNS rebinding). Its requests then carry that name.
 */
export function checkAdminHost({ host, localAddress }: RequestHost, { names }: AdminHosts): void {
  // A browser always sends a "Host" header.
  if (host === undefined) return
  const name = nameOf(host)
  if (isLoopbackName(name) || names.has(name)) return
  if (isIP(name) !== 0 && localAddress !== undefined && name === unmapAddress(localAddress)) return
  throw refuse('unknown_host', {
    message: `The header "Host" says ${JSON.stringify(name.slice(0, 256))}, a name by which the admin API is not known. Ask by "localhost" or by the listener's address, or add the name to admin.hosts in the configuration file.`,
    fact: { code: 'host_not_known', values: { name: name.slice(0, 256) } },
  })
}

/**
 * Throws `unknown_host` unless the header "Host" is a loopback name or address. For paths that are answered without a
 * token.
 */
export function checkLoopbackHost({ host }: Pick<RequestHost, 'host'>): void {
  if (host === undefined || isLoopbackHost(host)) return
  throw refuse('unknown_host', {
    message: 'This path answers only where the header "Host" is "localhost" or a loopback address.',
    fact: { code: 'only_on_this_machine', values: {} },
  })
}

/** Whether the header "Host" names this machine itself. */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && isLoopbackName(nameOf(host))
}

/** Normalizes a host for comparison: lower case, without port, brackets and trailing dot. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))/.exec(host) ?? []
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '')
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}
