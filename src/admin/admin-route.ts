import type { JsonObject } from '../kit/json/json.ts'
import type { DescribedOperation } from './openapi.ts'

/** What a request for the admin API holds, whatever library received it. */
export interface AdminRequest {
  /** The path's `{name}` parts, decoded. */
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string>>
  /** Parsed JSON; undefined where there is no body. */
  readonly body: unknown
  /** The header of that name: which state the change was made for. */
  readonly ifMatch?: string | undefined
  /** Where the request came from. */
  readonly address?: string
}

export interface AdminAnswer {
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: JsonObject
  /** In place of the body, where it is no JSON: read to its end, or returned from where the client leaves. */
  readonly download?: AsyncIterable<Buffer>
}

/** One row of the admin API. Every request must pass the token check first; bodies are JSON. */
export interface AdminRoute extends DescribedOperation {
  readonly policy: 'admin'
  /** Fails with `GatewayError` only. */
  readonly handler: (request: AdminRequest) => Promise<AdminAnswer>
}
