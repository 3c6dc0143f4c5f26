import { expect, it } from 'vitest'
import { checkProxyAddress } from './check-proxy-address.ts'

it.each(['http://proxy:3128', 'https://user:p%40ss@10.0.0.1', 'http://[::1]:3128/'])(
  '%s is accepted as a proxy',
  (address) => {
    expect(checkProxyAddress(address)).toBeUndefined()
  },
)

it.each([
  ['proxy', 'must be the address'],
  ['proxy:3128', 'must begin with http'],
  ['socks5://secret:secret@proxy', 'must begin with http'],
  ['http://secret:secret@proxy/path', 'no path'],
  ['http://proxy?secret', 'no path'],
  ['http://secret:se%cret@proxy', 'begins no escape'],
])('%s is refused, and the message does not quote it', (address, advice) => {
  const message = checkProxyAddress(address)
  expect(message).toContain(advice)
  expect(message).not.toContain('secret')
})
