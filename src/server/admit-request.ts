import type { IncomingHttpHeaders } from 'node:http'
import { GatewayError } from '../canonical/failure.ts'
import { asksForDryRun, operatorCaller } from '../pipeline/dry-run.ts'
import { checkAdminHost } from './admin-hosts.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import type { RequestContext } from './request-context.ts'
import type { Route } from './route.ts'

/** Decides before the body is read whether a request may come in. Throws `GatewayError` where it may not. */
export function admitRequest(context: RequestContext, route: Route, options: ListenerOptions): void {
  const { headers } = context.message
  if (route.forOperators) {
    checkAdminHost(
      { host: headers.host, localAddress: context.message.socket.localAddress },
      options.adminHosts(),
    )
  }
  if (route.policy === 'anyone') return
  if (route.policy === 'metrics') {
    options.checkMetrics(headers.authorization)
    return
  }
  if (options.gate.isDraining) {
    throw new GatewayError('shutting_down', { headers: { connection: 'close' } })
  }
  if (route.policy === 'admin') {
    options.checkAdmin(headers.authorization)
  } else if (isOperatorsDryRun(context, route, options)) {
    context.caller = operatorCaller
  } else {
    context.caller = options.callerAccess.authenticate({
      headers,
      queryKey: route.takesQueryKey === true ? queryKeyOf(context.query) : undefined,
      address: context.address,
      connection: context.message.socket,
    })
  }
  checkEncoding(headers)
}

/** Operators need no key to see where a request would go: the admin token does, and for nothing else on these paths. */
function isOperatorsDryRun({ message }: RequestContext, route: Route, options: ListenerOptions): boolean {
  if (!asksForDryRun(message.headers) || route.format === undefined) return false
  try {
    options.checkAdmin(message.headers.authorization)
    return true
  } catch {
    // A key, then; it is judged as any other.
    return false
  }
}

/** The names under which a body's characters are UTF-8, or a part of it. */
const CHARSETS: ReadonlySet<string> = new Set(['utf-8', 'utf8', 'us-ascii'])

function checkEncoding(headers: IncomingHttpHeaders): void {
  const encoding = headers['content-encoding']?.toLowerCase() ?? ''
  if (encoding !== '' && encoding !== 'identity') throw new GatewayError('unsupported_media_type')
  // Nearly every client writes it so.
  if (headers['content-type'] === 'application/json') return
  const charset = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(headers['content-type'] ?? '')?.[1]
  if (charset !== undefined && !CHARSETS.has(charset.toLowerCase())) {
    throw new GatewayError('unsupported_media_type', {
      message:
        'The body must be sent in UTF-8, as JSON is everywhere; the content type names another character set.',
    })
  }
}

function queryKeyOf(query: string): string | undefined {
  return query === '' ? undefined : (new URLSearchParams(query).get('key') ?? undefined)
}
