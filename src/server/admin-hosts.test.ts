import { expect, it } from 'vitest'
import { GatewayError } from '../canonical/failure.ts'
import { checkAdminHost, checkLoopbackHost } from './admin-hosts.ts'

const names = new Set(['models.example.com', 'headgate'])

function outcomeOf(check: () => void): string {
  try {
    check()
    return 'served'
  } catch (error) {
    return error instanceof GatewayError ? error.failure.code : String(error)
  }
}

it.each([
  [undefined, 'served'],
  ['localhost', 'served'],
  ['LOCALHOST:8081', 'served'],
  ['127.0.0.1:8081', 'served'],
  ['127.8.8.8', 'served'],
  ['[::1]:8081', 'served'],
  ['models.example.com', 'served'],
  ['Models.Example.com.:443', 'served'],
  ['headgate:8081', 'served'],
  ['10.0.0.5:8081', 'served'],
  ['10.0.0.6:8081', 'unknown_host'],
  ['evil.test', 'unknown_host'],
  ['localhost.evil.test:8081', 'unknown_host'],
  ['127.0.0.1.evil.test', 'unknown_host'],
  ['x.models.example.com', 'unknown_host'],
  ['', 'unknown_host'],
])('the admin listener, requested with the host %s: %s', (host, outcome) => {
  expect(outcomeOf(() => checkAdminHost({ host, localAddress: '::ffff:10.0.0.5' }, { names }))).toBe(outcome)
})

it.each([
  ['localhost:1', 'served'],
  ['[::1]', 'served'],
  ['127.0.0.1', 'served'],
  ['models.example.com', 'unknown_host'],
  ['10.0.0.5', 'unknown_host'],
])('a route restricted to loopback names, requested with the host %s: %s', (host, outcome) => {
  expect(outcomeOf(() => checkLoopbackHost({ host }))).toBe(outcome)
})
