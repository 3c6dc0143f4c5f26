import type { Failure } from '../canonical/failure.ts'
import type { Loss } from '../canonical/loss.ts'
import type { Transcript, TranscriptionRequest } from '../canonical/operations/transcription.ts'
import type { JsonWithFiles } from '../canonical/uploads/json-with-files.ts'
import type { FormFile, FormPart } from '../canonical/uploads/uploaded-form.ts'
import type { Usage } from '../canonical/usage.ts'
import type { JsonValue } from '../kit/json/json.ts'
import type { MediaOperation } from './media-format.ts'
import type { ScannedRequest } from './wire-format.ts'

/** An operation that writes down what is said. */
export interface TranscriptionFormat extends MediaOperation {
  readonly kind: 'transcription'
  /** Throws `GatewayError` (400) on what the format forbids. */
  readRequest(scanned: ScannedRequest): TranscriptionRequest
  /** Reads an answer of the format, in JSON. It never throws: what is not an answer becomes a failure. */
  readTranscript(body: JsonValue): Transcript | Failure
  writeTranscript(transcript: Transcript, request: TranscriptionRequest, usage: Usage): WrittenTranscript
  /** The same as the events of a stream. */
  writeEvents(transcript: Transcript, usage: Usage): string
}

export interface WrittenTranscript {
  readonly body: string
  readonly contentType: string
}

/** The body of a call. */
export type WrittenUpload =
  | { readonly type: 'json'; readonly value: JsonWithFiles }
  | { readonly type: 'form'; readonly parts: readonly FormPart[] }
  | { readonly type: 'file'; readonly file: FormFile }

/** The format of a channel that does not take the caller's own form. */
export interface ChannelTranscriptions {
  /** The operation by which its provider knows the path; absent where that is the caller's own. */
  readonly operationId?: 'gemini'
  /** Throws `GatewayError` (400) on what cannot be carried. `model` is the upstream's name. */
  writeRequest(request: TranscriptionRequest, model: string): WrittenTranscription
  /** Reads a reply. It never throws: what is not an answer becomes a failure. */
  readReply(body: JsonValue): Transcript | Failure
}

export interface WrittenTranscription {
  /** The path below the channel's base address, with its query. */
  readonly path: string
  readonly body: WrittenUpload
  readonly losses: readonly Loss[]
}
