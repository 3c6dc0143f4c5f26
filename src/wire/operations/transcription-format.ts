import type { Failure } from '../../canonical/failure.ts'
import type { Loss } from '../../canonical/loss.ts'
import type { Transcript, TranscriptionRequest } from '../../canonical/operations/transcription.ts'
import type { JsonWithFiles } from '../../canonical/uploads/json-with-files.ts'
import type { FormFile, FormPart } from '../../canonical/uploads/uploaded-form.ts'
import type { Usage } from '../../canonical/usage.ts'
import type { JsonValue } from '../../kit/json/json.ts'
import type { ScannedRequest } from '../wire-format.ts'
import type { MediaOperation } from './media-format.ts'

/** An operation that transcribes speech. */
export interface TranscriptionFormat extends MediaOperation {
  readonly kind: 'transcription'
  /** Throws `GatewayError` (400) on requests that the format forbids. */
  readRequest(scanned: ScannedRequest): TranscriptionRequest
  /** Reads a JSON answer of the format. Never throws: a value that is not an answer of the format becomes a failure. */
  readTranscript(body: JsonValue): Transcript | Failure
  writeTranscript(transcript: Transcript, request: TranscriptionRequest, usage: Usage): WrittenTranscript
  /** Writes the transcript as the events of a stream. */
  writeEvents(transcript: Transcript, usage: Usage): string
}

export interface WrittenTranscript {
  readonly body: string
  readonly contentType: string
}

/** The body of a request to the channel. */
export type WrittenUpload =
  | { readonly type: 'json'; readonly value: JsonWithFiles }
  | { readonly type: 'form'; readonly parts: readonly FormPart[] }
  | { readonly type: 'file'; readonly file: FormFile }

/** The transcription format of a channel that does not accept the caller's own form. */
export interface ChannelTranscriptions {
  /** The operation by which the provider knows the path; absent where it is the caller's own operation. */
  readonly operationId?: 'gemini'
  /**
   * Throws `GatewayError` (400) on requests that the format cannot carry. `model` is the upstream's name of the model.
   */
  writeRequest(request: TranscriptionRequest, model: string): WrittenTranscription
  /** Reads a reply. Never throws: a reply that is not an answer of the format becomes a failure. */
  readReply(body: JsonValue): Transcript | Failure
}

export interface WrittenTranscription {
  /** The path below the channel's base URL, with its query. */
  readonly path: string
  readonly body: WrittenUpload
  readonly losses: readonly Loss[]
}
