import type { EmbeddingReply, EmbeddingRequest, VectorEncoding } from '../../canonical/embedding.ts'
import type { Failure } from '../../canonical/failure.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { Operation } from '../wire-format.ts'

/** An operation that turns inputs into vectors. Its answers never stream. */
export interface EmbeddingFormat extends Operation {
  readonly kind: 'embedding'
  /** Throws `GatewayError` (400) on requests that the format forbids. */
  readRequest(body: JsonObject): EmbeddingRequest
  /** `model` is the upstream's name of the model. */
  writeRequest(request: EmbeddingRequest, model: string): JsonObject
  /** Reads a reply. Never throws: a reply that is not an answer of the format becomes a failure. */
  readReply(body: JsonValue): EmbeddingReply | Failure
  /** Writes a reply. Without an `encoding`, each vector stays in the encoding in which it was received. */
  writeReply(reply: EmbeddingReply, encoding: VectorEncoding | undefined): JsonObject
}
