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

it('lets no page frame, run or cache an answer', () => {
  expect(headersFor('gateway.example.com')).toMatchObject({
    'content-security-policy': expect.stringMatching(/^default-src 'none';.* frame-ancestors 'none'$/),
    'x-content-type-options': 'nosniff',
    'cache-control': 'no-store',
  })
})

it('asks browsers for TLS only where they have come by it', () => {
  const strict = (...args: Parameters<typeof headersFor>) => headersFor(...args)['strict-transport-security']
  expect(strict('gateway.example.com', 'gateway.example.com')).toBe('max-age=31536000')
  expect(strict('gateway.example.com')).toBeUndefined()
  expect(strict('other.example.com', 'gateway.example.com')).toBeUndefined()
})

it('asks for no TLS on loopback, where other programs have the same host', () => {
  expect(headersFor('localhost:8080', 'localhost:8080')['strict-transport-security']).toBeUndefined()
})
