import { BlockList, isIP } from 'node:net'

/**
 * Addresses that are not of the public internet: this machine, private networks, and the ranges that tunnel to them
 * or to nobody (IANA special-purpose address registries, seen 2026-11-20).
 */
const specialSubnets: readonly (readonly [string, number, 'ipv4' | 'ipv6'])[] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
]

const special = new BlockList()
for (const [network, prefix, family] of specialSubnets) special.addSubnet(network, prefix, family)

/** All of global unicast is 2000::/3; tunnels and documentation inside it are taken out again. */
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

/** Whether an address is one of the public internet, so that a channel without `allow_private` may reach it. */
export function isPublicAddress(address: string): boolean {
  const bare = address.replace(/%.*$/, '')
  switch (isIP(bare)) {
    case 4:
      return !special.check(bare, 'ipv4')
    case 6:
      return globalUnicast.check(bare, 'ipv6') && !specialInsideGlobal.check(bare, 'ipv6')
    default:
      return false
  }
}
