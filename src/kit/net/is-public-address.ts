import { BlockList, isIP, SocketAddress } from 'node:net'

/**
 * Addresses that are not on the public internet: this machine, private networks, and the ranges that tunnel to them
 * or to no destination (IANA special-purpose address registries, seen 2026-11-20).
 */
const specialSubnets: readonly (readonly [network: string, prefix: number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
]

const special = new BlockList()
for (const [network, prefix] of specialSubnets) special.addSubnet(network, prefix, 'ipv4')

/** All of global unicast is 2000::/3. Tunnels and documentation ranges inside it are excluded again. */
const globalUnicast = new BlockList()
globalUnicast.addSubnet('2000::', 3, 'ipv6')
const specialInsideGlobal = new BlockList()
for (const [network, prefix] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const) {
  specialInsideGlobal.addSubnet(network, prefix, 'ipv6')
}

/** Whether a text is an address on the public internet. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '')
  switch (isIP(bare)) {
    case 4:
      return !special.check(bare, 'ipv4')
    case 6:
      return globalUnicast.check(bare, 'ipv6') && !specialInsideGlobal.check(bare, 'ipv6') && !isIsatap(bare)
    default:
      return false
  }
}

/** Whether the lower half contains an IPv4 address to which a router of that network tunnels (RFC 5214 §6.1). */
function isIsatap(address: string): boolean {
  const { address: plain } = new SocketAddress({ address, family: 'ipv6' })
  return /:(?:0|200)?:5efe(?:::|(?::[\da-f]{1,4}){2}$)/.test(plain)
}
