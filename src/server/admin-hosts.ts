import { isIP } from 'node:net'
import { GatewayError } from '../canonical/failure.ts'

/** The names by which the operators' paths may be asked, beside loopback and the listener's own addresses. */
export interface AdminHosts {
  /** The names from the configuration, in lower case and without a port. */
  readonly names: ReadonlySet<string>
  /** The host, with its port, of an address that browsers reach by TLS, such as a proxy's. */
  readonly secureHost?: string | undefined
  /** The address by which browsers reach the gateway, if the configuration gives one; without a slash at its end. */
  readonly publicUrl?: string | undefined
}

export interface AskedHost {
  /** The header "Host" as received. */
  readonly host: string | undefined
  /** The address of this machine on which the connection came in. */
  readonly localAddress: string | undefined
}

/**
 * Throws `unknown_host` where the header "Host" is a name that this listener is not known by. A page that a browser on
 * this machine shows can point a name of its own here (DNS rebinding); its requests then carry that name.
 */
export function checkAdminHost({ host, localAddress }: AskedHost, { names }: AdminHosts): void {
  // A browser always sends one.
  if (host === undefined) return
  const name = nameOf(host)
  if (isLoopbackName(name) || names.has(name)) return
  if (isIP(name) !== 0 && localAddress !== undefined && name === withoutMapping(localAddress)) return
  throw new GatewayError('unknown_host', {
    message: `The header "Host" says ${JSON.stringify(name.slice(0, 256))}, a name by which the admin API is not known. Ask by "localhost" or by the listener's address, or add the name to admin.hosts in the configuration file.`,
  })
}

/** The same for what is answered without a token: by a name of this machine alone. */
export function checkLoopbackHost({ host }: Pick<AskedHost, 'host'>): void {
  if (host === undefined || isLoopbackHost(host)) return
  throw new GatewayError('unknown_host', {
    message: 'This path answers only where the header "Host" is "localhost" or a loopback address.',
  })
}

/** Whether the header "Host" names this machine itself. */
export function isLoopbackHost(host: string | undefined): boolean {
  return host !== undefined && isLoopbackName(nameOf(host))
}

/** A host as it is compared: in lower case, without a port, brackets and a dot at its end. */
function nameOf(host: string): string {
  const [, bracketed, plain = ''] = /^(?:\[([^\]]*)\]|([^:]*))/.exec(host) ?? []
  return (bracketed ?? plain).toLowerCase().replace(/\.$/, '')
}

function isLoopbackName(name: string): boolean {
  return name === 'localhost' || name === '::1' || (isIP(name) === 4 && name.startsWith('127.'))
}

/** An IPv4 address without the form that a listener on all addresses gives it. */
function withoutMapping(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, '')
}
