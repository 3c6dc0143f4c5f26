import type { ChatRequest } from '../../canonical/request.ts'
import type { Steps } from '../../kit/async/steps.ts'
import type { JsonObject } from '../../kit/json/json.ts'
import type { Operation } from '../wire-format.ts'

/** An operation that counts the tokens of a request without answering it. Its answers never stream. */
export interface TokenCountFormat extends Operation {
  readonly kind: 'token-count'
  /** Throws `GatewayError` (400) on requests that the format forbids. */
  readRequestInSteps(body: JsonObject): Steps<ChatRequest>
  writeCount(inputTokens: number): JsonObject
}
