import { expect, it } from 'vitest'
import { bareHost } from './bare-host.ts'

it('removes the brackets from an IPv6 address and leaves every other host unchanged', () => {
  const hosts = ['http://[::1]:8080', 'http://127.0.0.1', 'http://api.example.com'].map((url) =>
    bareHost(new URL(url)),
  )
  expect(hosts).toEqual(['::1', '127.0.0.1', 'api.example.com'])
})
