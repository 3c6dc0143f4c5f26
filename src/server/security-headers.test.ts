import { ServerResponse } from 'node:http'
import { expect, it } from 'vitest'
import { createRequestHead } from '../../test/support/request-head.ts'
import { setSecurityHeaders } from './security-headers.ts'

/** The headers of an answer to a request for this host, with TLS before it where `secureHost` is the same. */
function headersFor(host: string, secureHost?: string) {
  const head = createRequestHead({ host })
  const response = new ServerResponse(head.message)
  setSecurityHeaders(response, head, { names: new Set(), secureHost })
  return response.getHeaders()
}

it('the security headers stop a page from framing, running or caching an answer', () => {
  expect(headersFor('gateway.example.com')).toMatchObject({
    'content-security-policy': expect.stringMatching(/^default-src 'none';.* frame-ancestors 'none'$/),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
})

it('HSTS is sent only for a host that is reached over TLS', () => {
  const strict = (...args: Parameters<typeof headersFor>) => headersFor(...args)['strict-transport-security']
  expect(strict('gateway.example.com', 'gateway.example.com')).toBe('max-age=31536000')
  expect(strict('gateway.example.com')).toBeUndefined()
  expect(strict('other.example.com', 'gateway.example.com')).toBeUndefined()
})

it('HSTS is not sent on loopback, where other programs share the host', () => {
  expect(headersFor('localhost:8080', 'localhost:8080')['strict-transport-security']).toBeUndefined()
})
