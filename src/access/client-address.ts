import { isIP } from 'node:net'
import { createAddressList } from './address-list.ts'

export interface Connection {
  /** The other end of the socket; undefined where it is already gone. */
  readonly peer: string | undefined
  /** The `x-forwarded-for` header. */
  readonly forwardedFor: string | readonly string[] | undefined
}

/** Stands for an address that nobody can tell; it is in no allow-list. */
export const unknownAddress = 'unknown'

/**
 * Finds the caller's address. Forwarding headers count only where the peer is a trusted proxy; they are then read from
 * the right, each hop vouched for by the one after it, up to the first that is not trusted.
 */
export function createClientAddressReader(
  trustedProxies: readonly string[],
): (connection: Connection) => string {
  const trusted = createAddressList(trustedProxies)
  return ({ peer, forwardedFor }) => {
    if (peer === undefined) return unknownAddress
    if (trustedProxies.length === 0 || forwardedFor === undefined || !trusted.includes(peer)) return peer
    const hops = [forwardedFor].flat().join(',').split(',')
    return readHops(hops.map(bareAddress), (hop) => trusted.includes(hop)) ?? peer
  }
}

function readHops(hops: readonly string[], isTrusted: (hop: string) => boolean): string | undefined {
  let nearest: string | undefined
  for (const hop of hops.toReversed()) {
    if (hop === '' && hops.length === 1) return undefined
    if (isIP(hop) === 0) return unknownAddress
    nearest = hop
    if (!isTrusted(hop)) return hop
  }
  return nearest
}

// Some proxies add the port: 192.0.2.1:4711 or [2001:db8::1]:4711.
function bareAddress(hop: string): string {
  const text = hop.trim()
  const bracketed = /^\[([^\]]*)\](?::\d+)?$/.exec(text)
  if (bracketed !== null) return bracketed[1] ?? ''
  return text.replace(/^([\d.]+):\d+$/, '$1')
}
