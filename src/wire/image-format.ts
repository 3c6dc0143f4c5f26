import type { Failure } from '../canonical/failure.ts'
import type { Written } from '../canonical/loss.ts'
import type { ImageReply, ImageRequest } from '../canonical/operations/image.ts'
import type { JsonWithFiles } from '../canonical/uploads/json-with-files.ts'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { MediaOperation } from './media-format.ts'
import type { Operation, ScannedRequest } from './wire-format.ts'

/** An operation that makes images. */
export interface ImageFormat extends MediaOperation {
  readonly kind: 'image'
  /** Throws `GatewayError` (400) on what the format forbids. */
  readRequest(scanned: ScannedRequest): ImageRequest
  writeReply(reply: ImageReply, createdAtSeconds: number): JsonObject
  /** The same as the events of a stream, one for each image. */
  writeEvents(reply: ImageReply, createdAtSeconds: number): string
  /** The events of an answer that a server sent whole, in this format, though a stream was asked for. */
  replayReply(body: JsonObject, createdAtSeconds: number): string
}

/** The format of images of a channel that does not take the caller's own body. */
export interface ChannelImages {
  /** The path below the channel's base address, and the operation that the provider knows it by. */
  readonly operation: Pick<Operation, 'path'> & { readonly id: 'gemini' }
  /** One image. Throws `GatewayError` (400) on what cannot be carried. */
  writeRequest(request: ImageRequest, model: string): Written<JsonWithFiles>
  /** Reads a reply. It never throws: what is not an answer becomes a failure. */
  readReply(body: JsonValue): ImageReply | Failure
}
