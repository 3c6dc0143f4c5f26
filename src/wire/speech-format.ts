import type { Failure } from '../canonical/failure.ts'
import type { Loss } from '../canonical/loss.ts'
import type { SpeechRequest, SpokenReply } from '../canonical/operations/speech.ts'
import type { Usage } from '../canonical/usage.ts'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { MediaOperation } from './media-format.ts'
import type { ScannedRequest } from './wire-format.ts'

/** An operation that says a text. */
export interface SpeechFormat extends MediaOperation {
  readonly kind: 'speech'
  /** Throws `GatewayError` (400) on what the format forbids. */
  readRequest(scanned: ScannedRequest): SpeechRequest
  /** Sound as an event of a stream. */
  writeDelta(bytes: Buffer): string
  /** The event that ends a stream. */
  writeDone(usage: Usage): string
}

/** The format of a channel that does not take the caller's own body. */
export interface ChannelSpeech {
  /** The operation by which its provider knows the path; absent where that is the caller's own. */
  readonly operationId?: 'gemini'
  /** Throws `GatewayError` (400) on what cannot be carried. `model` is the upstream's name. */
  writeRequest(request: SpeechRequest, model: string): WrittenSpeech
  /**
   * Reads sound that comes within JSON; absent where it comes as bytes. It never throws: what is not an answer becomes
   * a failure.
   */
  readReply?(body: JsonValue, request: SpeechRequest): SpokenReply | Failure
}

export interface WrittenSpeech {
  /** The path below the channel's base address, with its query. */
  readonly path: string
  readonly value: JsonObject
  readonly losses: readonly Loss[]
}
