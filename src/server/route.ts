import type { ServerResponse } from 'node:http'
import type { OperationId } from '../canonical/format.ts'
import type { BodyBytes } from '../kit/json/body-bytes.ts'
import type { RequestContext } from './request-context.ts'

/** Who may call a route. There is no default: a route without a policy does not compile. */
/** `metrics`: whoever reads the metrics, with a token where the listener asks for one. */
export type RoutePolicy = 'anyone' | 'caller' | 'admin' | 'metrics'

export interface Exchanged {
  readonly context: RequestContext
  readonly response: ServerResponse
  /** The body, whole; empty where there is none. */
  readonly body: BodyBytes
  /** Parts of the path that the route names, decoded. */
  readonly params: Readonly<Record<string, string>>
}

/** What a route that does not take over the connection gives. */
export interface RouteReply {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
}

export interface Route {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** In the router's notation: `:name` for one part, `*` for the rest. */
  readonly path: string
  readonly policy: RoutePolicy
  /** Asked by a host name that the listener is known by, alone. */
  readonly forOperators?: true
  /** The format of the operation, where the path belongs to one. */
  readonly format?: OperationId
  /** Whether `?key=` may hold the caller's key. */
  readonly takesQueryKey?: boolean
  readonly handle: (exchanged: Exchanged) => RouteReply | Promise<RouteReply | 'taken-over'> | 'taken-over'
}
