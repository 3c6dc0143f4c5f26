import type { Failure } from '../../canonical/failure.ts'
import type { Written } from '../../canonical/loss.ts'
import type { ImageReply, ImageRequest } from '../../canonical/operations/image.ts'
import type { JsonWithFiles } from '../../canonical/uploads/json-with-files.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { Operation, ScannedRequest } from '../wire-format.ts'
import type { MediaOperation } from './media-format.ts'

/** An operation that generates images. */
export interface ImageFormat extends MediaOperation {
  readonly kind: 'image'
  /** Throws `GatewayError` (400) on requests that the format forbids. */
  readRequest(scanned: ScannedRequest): ImageRequest
  writeReply(reply: ImageReply, createdAtSeconds: number): JsonObject
  /** Writes the reply as stream events, one for each image. */
  writeEvents(reply: ImageReply, createdAtSeconds: number): string
  /** Writes stream events of this format for an answer that the server sent whole although a stream was requested. */
  replayReply(body: JsonObject, createdAtSeconds: number): string
}

/** The image format of a channel that does not accept the caller's own body. */
export interface ChannelImages {
  /** The path below the channel's base URL, and the operation by which the provider knows the path. */
  readonly operation: Pick<Operation, 'path'> & { readonly id: 'gemini' }
  /** Writes a request for one image. Throws `GatewayError` (400) on requests that the format cannot carry. */
  writeRequest(request: ImageRequest, model: string): Written<JsonWithFiles>
  /** Reads a reply. Never throws: a reply that is not an answer of the format becomes a failure. */
  readReply(body: JsonValue): ImageReply | Failure
}
