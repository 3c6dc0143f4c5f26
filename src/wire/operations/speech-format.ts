import type { Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { SpeechRequest, SpokenReply } from '../../canonical/operations/speech.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { ScannedRequest } from '../wire-format.ts'
import type { MediaOperation } from './media-format.ts'

/** An operation that turns text into speech. */
export interface SpeechFormat extends MediaOperation {
  readonly kind: 'speech'
  /** Throws `GatewayError` (400) on requests that the format forbids. */
  readRequest(scanned: ScannedRequest): SpeechRequest
  /** Writes audio bytes as an event of a stream. */
  writeDelta(bytes: Buffer): string
  /** Writes the event that ends a stream. */
  writeDone(usage: Usage): string
}

/** The speech format of a channel that does not accept the caller's own body. */
export interface ChannelSpeech {
  /** The operation by which the provider knows the path; absent where it is the caller's own operation. */
  readonly operationId?: 'gemini'
  /**
   * Throws `GatewayError` (400) on requests that the format cannot carry. `model` is the upstream's name of the model.
   */
  writeRequest(request: SpeechRequest, model: string): WrittenSpeech
  /**
   * Reads audio that is sent inside JSON; absent where the provider sends bytes. Never throws: a reply that is not an
   * answer of the format becomes a failure.
   */
  readReply?(body: JsonValue, request: SpeechRequest): SpokenReply | Failure
}

export interface WrittenSpeech {
  /** The path below the channel's base URL, with its query. */
  readonly path: string
  readonly value: JsonObject
  readonly losses: readonly Loss[]
}
