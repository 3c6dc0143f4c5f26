import type { ServerResponse } from 'node:http'
import { type AdminHosts, isLoopbackHost } from './admin-hosts.ts'
import { isSecure } from './own-origin.ts'
import type { RequestHead } from './request-head.ts'

/**
 * The headers of every answer to operators, including refusals. They are those of OWASP's REST Security Cheat Sheet
 * (cheatsheetseries.owasp.org, seen 2026-11-24): an answer is data that no page may frame, run, embed or cache. A route
 * that serves a page sets its own policy, which replaces the first header.
 */
const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-embedder-policy': 'require-corp',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'cache-control': 'no-store',
}

const STRICT_TRANSPORT = 'max-age=31536000'

/** Sets the headers before the head of the answer is written, so that every writer of the answer keeps them. */
export function setSecurityHeaders(response: ServerResponse, head: RequestHead, hosts: AdminHosts): void {
  for (const [name, value] of Object.entries(securityHeaders)) response.setHeader(name, value)
  // Browsers apply the header to the whole host. On loopback, that would be every server on this machine (RFC 6797
  // §8.1).
  const { host } = head.message.headers
  if (isSecure(head, hosts) && !isLoopbackHost(host))
    response.setHeader('strict-transport-security', STRICT_TRANSPORT)
}
