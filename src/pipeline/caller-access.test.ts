import { expect, test } from 'vitest'
import { readAddressRange } from '../access/address-list.ts'
import { createClientAddressReader } from './caller-access.ts'

test.each<[string, string | undefined, string | string[] | undefined, string]>([
  ['no header', '192.0.2.9', undefined, '192.0.2.9'],
  ['a peer that nobody trusts', '192.0.2.9', '10.0.0.1', '192.0.2.9'],
  ['one proxy', '10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['a proxy seen as an IPv6-mapped peer', '::ffff:10.0.0.1', '198.51.100.7', '198.51.100.7'],
  ['a chain of proxies', '10.0.0.1', '198.51.100.7, 10.0.0.3, 10.0.0.2', '198.51.100.7'],
  ['a forged entry on the left', '10.0.0.1', '127.0.0.1, 198.51.100.7, 10.0.0.2', '198.51.100.7'],
  ['a header sent twice', '10.0.0.1', ['127.0.0.1', '198.51.100.7'], '198.51.100.7'],
  ['only trusted hops', '10.0.0.1', '10.0.0.3, 10.0.0.2', '10.0.0.3'],
  ['an entry that is no address', '10.0.0.1', '198.51.100.7, evil', 'unknown'],
  ['an empty entry', '10.0.0.1', '198.51.100.7,', 'unknown'],
  ['an empty header', '10.0.0.1', '', '10.0.0.1'],
  ['an entry with a port', '10.0.0.1', '198.51.100.7:4711', '198.51.100.7'],
  ['an IPv6 entry with a port', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
  ['a socket that is gone', undefined, '198.51.100.7', 'unknown'],
])('reads the client address with %s', (_case, peer, forwardedFor, address) => {
  expect(createClientAddressReader(['10.0.0.0/8'])({ peer, forwardedFor })).toBe(address)
})

test('without trusted proxies the forwarding header is ignored', () => {
  const read = createClientAddressReader([])
  expect(read({ peer: '10.0.0.1', forwardedFor: '198.51.100.7' })).toBe('10.0.0.1')
})

test.each<[string, string | undefined]>([
  ['10.0.0.0/8', '10.0.0.0/8 ipv4'],
  ['192.0.2.1', '192.0.2.1/32 ipv4'],
  ['2001:db8::/32', '2001:db8::/32 ipv6'],
  ['::ffff:10.0.0.0/104', '10.0.0.0/8 ipv4'],
  ['0:0:0:0:0:FFFF:0a00:0001', '10.0.0.1/32 ipv4'],
  ['10.0.0.0/33', undefined],
  ['10.0.0.0/', undefined],
  ['10.0.0.0/8/8', undefined],
  ['10.0.0/8', undefined],
  ['fe80::1%eth0', undefined],
  ['localhost', undefined],
])('reads the range %s as %s', (text, expected) => {
  const range = readAddressRange(text)
  expect(range && `${range.network}/${range.prefix} ${range.family}`).toBe(expected)
})
