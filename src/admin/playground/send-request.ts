// The port through which the playground sends requests. The composition root fills it with the ordinary pipeline.
import type { Permission } from '../../access/permission.ts'
import type { JsonObject } from '../../kit/json/json.ts'

export interface PlaygroundRequest {
  /** The body of a chat completion. */
  readonly body: JsonObject
  /** The only channel that may answer. Undefined if routing decides. */
  readonly channel: string | undefined
  /** The user who is charged. Undefined for the admin token and for services. */
  readonly user: string | undefined
  /** The group that is charged. Undefined for no group. */
  readonly group: { readonly name: string; readonly multiplierPpm: number } | undefined
  readonly permission: Permission
  readonly address: string
  /** Aborted when the response is no longer read. */
  readonly signal: AbortSignal
}

/** A streamed response. Unread bytes cause backpressure on the upstream. */
export interface PlaygroundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: AsyncIterable<Buffer>
}

/**
 * Sends a chat completion like a caller's, under the key `internal:playground`. Resolves once the response starts,
 * which may be a refusal. Rejects with `GatewayError` if the process is shutting down.
 */
export type SendPlaygroundRequest = (request: PlaygroundRequest) => Promise<PlaygroundAnswer>
