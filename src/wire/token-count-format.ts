import type { ChatRequest } from '../canonical/request.ts'
import type { JsonObject } from '../kit/json/json.ts'
import type { Operation } from './wire-format.ts'

/** An operation that says how many tokens a request would be, without answering it. Its answers are never streams. */
export interface TokenCountFormat extends Operation {
  readonly kind: 'token-count'
  /** Throws `GatewayError` (400) on what the format forbids. */
  readRequest(body: JsonObject): ChatRequest
  writeCount(inputTokens: number): JsonObject
}
