/**
 * An IPv4 address without the prefix `::ffff:` that a listener on all IPv6 addresses adds (RFC 4291 §2.5.5.2). In
 * lower case; any other address is otherwise unchanged.
 */
export function unmapAddress(address: string): string {
  return address.toLowerCase().replace(/^::ffff:(?=[\d.]+$)/, '')
}
