import type { EmbeddingReply, EmbeddingRequest, VectorEncoding } from '../canonical/embedding.ts'
import type { Failure } from '../canonical/failure.ts'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { Operation } from './wire-format.ts'

/** An operation that turns inputs into vectors. Its answers are never streams. */
export interface EmbeddingFormat extends Operation {
  readonly kind: 'embedding'
  /** Throws `GatewayError` (400) on what the format forbids. */
  readRequest(body: JsonObject): EmbeddingRequest
  /** `model` is the upstream's name. */
  writeRequest(request: EmbeddingRequest, model: string): JsonObject
  /** Reads a reply. It never throws: what is not an answer becomes a failure. */
  readReply(body: JsonValue): EmbeddingReply | Failure
  /** Writes a reply; without an encoding every vector stays in the one it came in. */
  writeReply(reply: EmbeddingReply, encoding: VectorEncoding | undefined): JsonObject
}
