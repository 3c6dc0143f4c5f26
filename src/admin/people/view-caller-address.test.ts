import { expect, it } from 'vitest'
import { viewCallerAddress } from './view-caller-address.ts'

const own = { type: 'own', listen: { host: '127.0.0.1', port: 8081 } } as const
const base = { publicUrl: undefined, tls: undefined, admin: own }

it.each([
  [
    'public_url',
    { publicUrl: 'https://ai.example', listen: { host: '0.0.0.0', port: 8080 } },
    { type: 'url', url: 'https://ai.example' },
  ],
  [
    'one interface',
    { listen: { host: '10.0.0.5', port: 8080 } },
    { type: 'url', url: 'http://10.0.0.5:8080' },
  ],
  ['an address of IPv6', { listen: { host: '::1', port: 8080 } }, { type: 'url', url: 'http://[::1]:8080' }],
  ['every interface', { listen: { host: '0.0.0.0', port: 8080 } }, { type: 'port', port: 8080, tls: false }],
  ['a port of the system', { listen: { host: '127.0.0.1', port: 0 } }, { type: 'same-as-this' }],
  [
    'the listener of operators',
    { listen: { host: '127.0.0.1', port: 8080 }, admin: { type: 'shared' } as const },
    { type: 'same-as-this' },
  ],
])('the address for callers comes from %s', (_, config, address) => {
  expect(viewCallerAddress({ ...base, ...config })).toEqual(address)
})
