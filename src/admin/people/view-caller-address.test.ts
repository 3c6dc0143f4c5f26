import { expect, it } from 'vitest'
import { viewCallerAddress } from './view-caller-address.ts'

const own = { type: 'own', listen: { host: '127.0.0.1', port: 8081 } } as const
const base = { publicUrl: undefined, tls: undefined, admin: own }

it.each([
  [
    'public_url',
    { publicUrl: 'https://ai.example', listen: { host: '0.0.0.0', port: 8080 } },
    'https://ai.example',
    null,
  ],
  ['one interface', { listen: { host: '10.0.0.5', port: 8080 } }, 'http://10.0.0.5:8080', null],
  ['an address of IPv6', { listen: { host: '::1', port: 8080 } }, 'http://[::1]:8080', null],
  ['every interface', { listen: { host: '0.0.0.0', port: 8080 } }, null, 8080],
  ['a port of the system', { listen: { host: '127.0.0.1', port: 0 } }, null, null],
  [
    'the listener of operators',
    { listen: { host: '127.0.0.1', port: 8080 }, admin: { type: 'shared' } as const },
    null,
    null,
  ],
])('the address of callers is that of %s', (_, config, url, port) => {
  expect(viewCallerAddress({ ...base, ...config })).toMatchObject({ url, port })
})
