import type { PrincipalPolicy, PublicPolicy } from '../access/people/policy.ts'
import type { Principal } from '../access/people/principal.ts'
import { GatewayError } from '../canonical/failure.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { DescribedOperation } from './openapi.ts'

/** A request for the admin API by anybody, whatever library received it. */
export interface PublicRequest {
  /** The path's `{name}` parts, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Parsed JSON; undefined where there is no body. */
  readonly body: unknown
  /** The header of that name: which state the change was made for. */
  readonly ifMatch?: string | undefined
  /** The address that the request came from. */
  readonly address: string
  /** Empty where the sender names none. */
  readonly userAgent: string
  /** The header `Cookie`. */
  readonly cookie?: string | undefined
  /** The address by which the browser reached the gateway, its path prefix included, without a slash at its end. */
  readonly baseUrl: string
  /** Whether the sender's browser reached us over TLS. */
  readonly isSecure: boolean
  /** Aborted where the client leaves before it has the whole answer. */
  readonly signal?: AbortSignal
}

/** A request by a principal that the policy admits. */
export interface AdminRequest extends PublicRequest {
  readonly principal: Principal
}

export interface AdminAnswer {
  readonly status: number
  /** Several values are several headers, as cookies need it. */
  readonly headers?: Readonly<Record<string, string | string[]>>
  readonly body: JsonObject
  /** The body where it is not JSON: read to its end, or returned from where the client disconnects. */
  readonly download?: AsyncIterable<Buffer>
}

/** One row of the admin API. Every request must satisfy the policy first; bodies are JSON. */
export interface AdminRoute extends DescribedOperation {
  readonly policy: PrincipalPolicy
  /** Fails with `GatewayError` only. */
  readonly handler: (request: AdminRequest) => Promise<AdminAnswer>
}

/** A row that anybody may call. */
export interface PublicRoute extends DescribedOperation {
  readonly policy: PublicPolicy
  /** Fails with `GatewayError` only. */
  readonly handler: (request: PublicRequest) => Promise<AdminAnswer>
}

export type AnyAdminRoute = AdminRoute | PublicRoute

/** Hands a request to its row. `principal` is whom the policy admitted. */
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
