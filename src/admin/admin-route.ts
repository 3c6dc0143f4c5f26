import type { Principal } from '../access/people/principal.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { DescribedOperation } from './openapi.ts'

/** A request for the admin API, whatever library received it. */
export interface AdminRequest {
  /** The path's `{name}` parts, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Parsed JSON; undefined where there is no body. */
  readonly body: unknown
  /** The header of that name: which state the change was made for. */
  readonly ifMatch?: string | undefined
  /** The address that the request came from. */
  readonly address?: string
  /** The principal that makes the request; undefined where the policy admits everybody. */
  readonly principal?: Principal | undefined
  readonly userAgent?: string | undefined
  /** Whether the sender's browser reached us over TLS. */
  readonly isSecure?: boolean
}

export interface AdminAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: JsonObject
  /** The body where it is not JSON: read to its end, or returned from where the client disconnects. */
  readonly download?: AsyncIterable<Buffer>
}

/** One row of the admin API. Every request must satisfy the policy first; bodies are JSON. */
export interface AdminRoute extends DescribedOperation {
  /** Fails with `GatewayError` only. */
  readonly handler: (request: AdminRequest) => Promise<AdminAnswer>
}
