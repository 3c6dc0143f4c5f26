import { BlockList, isIP } from 'node:net'

type Family = 'ipv4' | 'ipv6'

export interface AddressRange {
  readonly network: string
  readonly prefix: number
  readonly family: Family
}

/** A set of addresses and ranges. It is built once and queried often. */
export interface AddressList {
  /** False for text that is not an address. An IPv4 address is found in its IPv6-mapped form too. */
  includes(address: string): boolean
}

/** A range that cannot be parsed matches no address, so that a damaged allow-list refuses callers. */
export function createAddressList(ranges: readonly string[]): AddressList {
  const list = new BlockList()
  for (const text of ranges) {
    const range = readAddressRange(text)
    if (range !== undefined) list.addSubnet(range.network, range.prefix, range.family)
  }
  return {
    includes(address) {
      const bare = withoutZone(address)
      const version = isIP(bare)
      return version !== 0 && list.check(bare, version === 4 ? 'ipv4' : 'ipv6')
    },
  }
}

/** Reads `10.0.0.0/8`, `2001:db8::/32` or a single address; undefined for anything else. */
export function readAddressRange(text: string): AddressRange | undefined {
  const [network = '', prefixText, ...rest] = text.trim().split('/')
  const version = isIP(network)
  if (version === 0 || rest.length > 0 || network.includes('%')) return undefined
  const widest = version === 4 ? 32 : 128
  const prefix = prefixText === undefined ? widest : readPrefix(prefixText, widest)
  if (prefix === undefined) return undefined
  if (version === 4) return { network, prefix, family: 'ipv4' }
  return unmapRange(network, prefix) ?? { network, prefix, family: 'ipv6' }
}

function readPrefix(text: string, widest: number): number | undefined {
  if (!/^\d{1,3}$/.test(text)) return undefined
  const prefix = Number(text)
  return prefix <= widest ? prefix : undefined
}

// ::ffff:10.0.0.0/104 means 10.0.0.0/8. The URL parser writes every spelling of such an address in one way.
function unmapRange(network: string, prefix: number): AddressRange | undefined {
  if (prefix < 96) return undefined
  const match = /^\[::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})\]$/.exec(new URL(`http://[${network}]`).hostname)
  if (match === null) return undefined
  const value = Number.parseInt(match[1] ?? '', 16) * 65_536 + Number.parseInt(match[2] ?? '', 16)
  const parts = [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256)
  return { network: parts.join('.'), prefix: prefix - 96, family: 'ipv4' }
}

function withoutZone(address: string): string {
  const zone = address.indexOf('%')
  return zone === -1 ? address : address.slice(0, zone)
}
