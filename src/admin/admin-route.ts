import type { PrincipalPolicy, PublicPolicy } from '../access/people/policy.ts'
import type { Principal } from '../access/people/principal.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { DescribedOperation } from './openapi.ts'

/** A request for the admin API that needs no principal, independent of the HTTP library. */
export interface PublicRequest {
  /** The path's `{name}` parts, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** The parsed JSON body. Undefined if there is no body. */
  readonly body: unknown
  /** The header `If-Match`: the state that the change was made for. */
  readonly ifMatch?: string | undefined
  /** The address that the request came from. */
  readonly address: string
  /** Empty if the client sends none. */
  readonly userAgent: string
  /** The header `Cookie`. */
  readonly cookie?: string | undefined
  /** The address by which the browser reached the gateway, with its path prefix and without a trailing slash. */
  readonly baseUrl: string
  /** Whether the sender's browser reached the gateway over TLS. */
  readonly isSecure: boolean
  /** Aborted when the client disconnects before it has the whole response. */
  readonly signal?: AbortSignal
}

/** A request by a principal that the route's policy admits. */
export interface AdminRequest extends PublicRequest {
  readonly principal: Principal
}

export interface AdminAnswer {
  readonly status: number
  /** Several values are several headers, as cookies need it. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body: JsonObject
  /** A body that is not JSON. It is read to its end, or its `return` is called when the client disconnects. */
  readonly download?: AsyncIterable<Buffer>
}

/** A route of the admin API. Every request must satisfy the policy first. Bodies are JSON. */
export interface AdminRoute extends DescribedOperation {
  readonly policy: PrincipalPolicy
  /** Fails with `GatewayError` only. */
  readonly handler: (request: AdminRequest) => Promise<AdminAnswer>
}

/** A route that anybody may call. */
export interface PublicRoute extends DescribedOperation {
  readonly policy: PublicPolicy
  /** Fails with `GatewayError` only. */
  readonly handler: (request: PublicRequest) => Promise<AdminAnswer>
}

export type AnyAdminRoute = AdminRoute | PublicRoute

/** Calls the handler of a route. `principal` is the principal that the policy admitted. */
export async function callAdminRoute(
  route: AnyAdminRoute,
  request: PublicRequest,
  principal: Principal | undefined,
): Promise<AdminAnswer> {
  if (isPublicRoute(route)) return route.handler(request)
  if (principal === undefined) throw new GatewayError('admin_only')
  return route.handler({ ...request, principal })
}

function isPublicRoute(route: AnyAdminRoute): route is PublicRoute {
  return route.policy.access === 'public'
}
