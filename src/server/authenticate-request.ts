import type { IncomingHttpHeaders } from 'node:http'
import { GatewayError } from '../canonical/failure.ts'
import { operatorCaller } from '../pipeline/caller-access.ts'
import { asksForDryRun } from '../pipeline/exchange/dry-run.ts'
import { checkAdminHost } from './admin-hosts.ts'
import { checkEncoding } from './check-head.ts'
import type { ListenerOptions } from './listener/listener-options.ts'
import { isSecure } from './own-origin.ts'
import type { Identity, RequestHead, RequestingCaller } from './request-head.ts'
import type { ReplyRoute, ServerRoute } from './route.ts'

/**
 * Identifies the client and checks that it may call the route, before the body is read. Throws `GatewayError` if it may
 * not.
 */
export function identify(
  head: RequestHead,
  route: ReplyRoute,
  options: ListenerOptions,
): Identity | Promise<Identity> {
  const { headers, socket } = head.message
  if (route.forOperators)
    checkAdminHost({ host: headers.host, localAddress: socket.localAddress }, options.adminHosts())
  switch (route.policy) {
    case 'anyone':
      return { type: 'anyone' }
    case 'metrics':
      options.checkMetrics(headers.authorization)
      return { type: 'operator' }
    case 'caller':
      return { type: 'caller', caller: authenticate(head, route, options) }
    default:
      refuseWhileDraining(options)
      checkEncoding(headers)
      return identifyOperator(head, route.policy, options)
  }
}

/** Identifies the operator. The promise may wait for the store of sessions and tokens. */
async function identifyOperator(
  head: RequestHead,
  policy: Exclude<ReplyRoute['policy'], string>,
  { admitOperator, adminHosts }: ListenerOptions,
): Promise<Identity> {
  const { headers, method = '' } = head.message
  const principal = await admitOperator({
    policy,
    method,
    path: head.path,
    address: head.address,
    authorization: headers.authorization,
    cookie: headers.cookie,
    host: headers.host,
    origin: headers.origin,
    fetchSite: onlyOne(headers['sec-fetch-site']),
    isSecure: isSecure(head, adminHosts()),
  })
  return principal === undefined ? { type: 'anyone' } : { type: 'operator', principal }
}

function onlyOne(header: string | string[] | undefined): string | undefined {
  return typeof header === 'object' ? header.join(',') : header
}

interface Draining {
  readonly gate: { readonly isDraining: boolean }
}

/** Finds the owner of the key or token of a request. Throws `GatewayError` if there is no valid key. */
export function authenticate(
  head: RequestHead,
  route: Pick<ServerRoute, 'format' | 'acceptsQueryKey'>,
  options: Pick<ListenerOptions, 'callerAccess' | 'checkAdmin'> & Draining,
  headers: IncomingHttpHeaders = head.message.headers,
): RequestingCaller {
  const { socket } = head.message
  refuseWhileDraining(options)
  const caller = isOperatorsDryRun(head, route, options)
    ? operatorCaller
    : options.callerAccess.authenticate({
        headers,
        queryKey: route.acceptsQueryKey === true ? queryKeyOf(head.query) : undefined,
        address: head.address,
        connection: socket,
      })
  checkEncoding(headers)
  return caller
}

function refuseWhileDraining({ gate }: Draining): void {
  if (gate.isDraining) throw new GatewayError('shutting_down', { headers: { connection: 'close' } })
}

/**
 * Whether this is a dry run of an operator. Operators can see the route of a request without a key: the admin token is
 * enough. On these paths it is accepted only for that.
 */
function isOperatorsDryRun(
  { message }: RequestHead,
  route: Pick<ServerRoute, 'format'>,
  options: Pick<ListenerOptions, 'checkAdmin'>,
): boolean {
  if (!asksForDryRun(message.headers) || route.format === undefined) return false
  try {
    options.checkAdmin(message.headers.authorization)
    return true
  } catch (error) {
    // The token is not the admin token, so it is checked like any other key.
    if (error instanceof GatewayError && error.failure.code === 'admin_only') return false
    throw error
  }
}

function queryKeyOf(query: string): string | undefined {
  return query === '' ? undefined : (new URLSearchParams(query).get('key') ?? undefined)
}
