import type { AdminHosts } from './admin-hosts.ts'
import type { RequestHead } from './request-head.ts'

/**
 * The address at which a caller reaches this gateway, for URLs in answers: the configured address, else that of the
 * request. The header "X-Forwarded-Proto" is trusted here, since a false value misleads only the caller itself.
 */
export function findOwnOrigin(head: Pick<RequestHead, 'message'>, hosts: AdminHosts): string {
  if (hosts.publicUrl !== undefined) return hosts.publicUrl
  const { host = 'localhost', 'x-forwarded-proto': scheme } = head.message.headers
  return `${scheme === 'https' || isSecure(head, hosts) ? 'https' : 'http'}://${host}`
}

/** Whether the browser uses TLS: to this listener, or to a proxy at the configured address of the gateway. */
export function isSecure(
  { message: { socket, headers } }: Pick<RequestHead, 'message'>,
  { secureHost }: AdminHosts,
): boolean {
  const isEncrypted = 'encrypted' in socket && socket.encrypted === true
  return isEncrypted || (secureHost !== undefined && headers.host?.toLowerCase() === secureHost)
}
