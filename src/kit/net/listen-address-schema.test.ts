import { expect, test } from 'vitest'
import { isLoopback, listenAddressSchema } from './listen-address-schema.ts'

test.each([
  ['127.0.0.1:8080', '127.0.0.1', 8080, true],
  ['localhost:0', 'localhost', 0, true],
  ['[::1]:8080', '::1', 8080, true],
  [':8080', '0.0.0.0', 8080, false],
  ['0.0.0.0:80', '0.0.0.0', 80, false],
  ['[::]:8080', '::', 8080, false],
  ['gate.example.com:443', 'gate.example.com', 443, false],
])('%s is host %s and port %i, loopback: %s', (text, host, port, loopback) => {
  const address = listenAddressSchema.parse(text)
  expect(address).toEqual({ host, port })
  expect(isLoopback(address)).toBe(loopback)
})

test.each(['8080', '127.0.0.1', '127.0.0.1:', '::1:8080', '[1.2.3.4]:80', 'host:65536', 'a b:80', 8080])(
  '%s is refused',
  (value) => {
    expect(listenAddressSchema.safeParse(value).success).toBe(false)
  },
)
