// The port through which the playground sends requests. The composition root fills it with the ordinary pipeline.
import type { Permission } from '../../access/permission.ts'
import type { JsonObject } from '../../kit/json/json.ts'

export interface PlaygroundRequest {
  /** The body of a chat completion. */
  readonly body: JsonObject
  /** The only channel that may answer; undefined where routing decides. */
  readonly channel: string | undefined
  /** The user who is charged; undefined for the admin token and for services. */
  readonly user: string | undefined
  /** The group that is charged; undefined for none. */
  readonly group: { readonly name: string; readonly multiplierPpm: number } | undefined
  readonly permission: Permission
  readonly address: string
  /** Aborted once nobody reads the answer any more. */
  readonly signal: AbortSignal
}

/** An answer as it comes. Bytes that nobody reads yet hold the upstream back. */
export interface PlaygroundAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: AsyncIterable<Buffer>
}

/**
 * Sends a chat completion as a caller would, under the key `internal:playground`. Fulfilled once the answer begins,
 * refusals of callers included. Rejects with `GatewayError` where the process is about to end.
 */
export type SendPlaygroundRequest = (request: PlaygroundRequest) => Promise<PlaygroundAnswer>
