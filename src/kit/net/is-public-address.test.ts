import { describe, expect, it } from 'vitest'
import { isPublicAddress } from './is-public-address.ts'

describe('the address guard', () => {
  it.each(['8.8.8.8', '1.1.1.1', '172.32.0.1', '2606:4700::1111', '2a00:1450:4001:80b::200e'])(
    'allows %s',
    (address) => {
      expect(isPublicAddress(address)).toBe(true)
    },
  )

  it.each([
    ['this machine', '127.0.0.1'],
    ['this machine', '127.255.255.254'],
    ['this machine', '::1'],
    ['the unspecified address', '0.0.0.0'],
    ['the unspecified address', '::'],
    ['a private network', '10.1.2.3'],
    ['a private network', '172.16.0.1'],
    ['a private network', '172.31.255.255'],
    ['a private network', '192.168.1.1'],
    ['a private network', 'fd12:3456::1'],
    ['carrier-grade NAT', '100.64.0.1'],
    ['link-local, where clouds keep their metadata', '169.254.169.254'],
    ['link-local', 'fe80::1'],
    ['link-local with a zone', 'fe80::1%eth0'],
    ['the old site-local range', 'fec0::1'],
    ['multicast', '224.0.0.1'],
    ['multicast', 'ff02::1'],
    ['broadcast', '255.255.255.255'],
    ['an IPv4 address mapped into IPv6', '::ffff:127.0.0.1'],
    ['the same in hexadecimal', '::ffff:7f00:1'],
    ['6to4, which carries an IPv4 address', '2002:7f00:1::'],
    ['NAT64, which carries an IPv4 address', '64:ff9b::7f00:1'],
    ['Teredo', '2001:0:7f00:1::'],
    ['documentation', '2001:db8::1'],
    ['benchmarks', '198.18.0.1'],
    ['no address at all', 'localhost'],
    ['no address at all', ''],
  ])('refuses %s: %s', (_kind, address) => {
    expect(isPublicAddress(address)).toBe(false)
  })
})
