import type { EmbeddingReply, EmbeddingRequest } from '../canonical/embedding.ts'
import type { Failure } from '../canonical/failure.ts'
import type { ChannelFormatId, Extras, FamilyId, FormatId, OperationId } from '../canonical/format.ts'
import type { Loss, LossFeature, Written } from '../canonical/loss.ts'
import type { MediaKind } from '../canonical/media.ts'
import type { Reply } from '../canonical/reply.ts'
import type { ChatRequest } from '../canonical/request.ts'
import type { CallerTools } from '../canonical/restore-calls.ts'
import type { UploadedForm } from '../canonical/uploads/uploaded-form.ts'
import type { Steps } from '../kit/async/steps.ts'
import type { BodyBytes } from '../kit/json/body-bytes.ts'
import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { SseFrame } from '../kit/sse/sse-parser.ts'
import type { AnswerForm } from './answer-form.ts'
import type { BodyShape } from './body-shape.ts'
import type { CallerLabels } from './caller-labels.ts'
import type { Dialect } from './dialect.ts'
import type { LimitStatus } from './limit-status.ts'
import type { StreamReader, StreamWriter, StreamWriterOptions } from './reply-stream.ts'
import type { SpendingTerms } from './spending-terms.ts'
import type { StreamWatcher, WatchedReply } from './watched-reply.ts'

/** The form in which a format writes errors, pings and other frames that are not part of an answer. */
export interface FormatFrames {
  writeError(failure: Failure, requestId: string): RenderedError
  /** Writes the frame that ends a failed stream. `shown`: the last frames before, of a format that `numbersEvents`. */
  writeErrorEvent(failure: Failure, requestId: string, shown?: Buffer | string): string
  /** Whether each event of a stream has a number, with which its error goes on. */
  readonly numbersEvents?: true
  /** The header in which clients of this format look for the request ID. Every answer also has it in `x-request-id`. */
  readonly requestIdHeader: 'request-id' | 'x-request-id' | 'x-amzn-requestid'
  /** A frame that only keeps the connection open; empty where the format has none. */
  readonly heartbeat: string
  /** The content type of streams, where they are not server-sent events. */
  readonly streamType?: string
  /** Writes the state of our rate limits under header names that clients of this format know. `nowMs`: wall time. */
  writeLimitHeaders(limits: readonly LimitStatus[], nowMs: number): Readonly<Record<string, string>>
}

/** An operation that callers can request, as far as its bytes go to a channel of the same format. Pure, no I/O. */
export interface Operation extends FormatFrames {
  readonly id: OperationId
  /** The format of the channels that can accept the caller's bytes. Errors are written in this format. */
  readonly family: FamilyId
  /** The path below a channel's base URL, such as `/chat/completions`, with its query if it has one. */
  readonly path: string | ((terms: RequestTerms) => string)
  /**
   * Finds the fields of a body that decide routing, behavior and price. Throws `GatewayError` (400) on a body that is
   * unsafe to forward. `terms` come from the caller's path. Only formats whose path contains them use them.
   */
  scanRequest(body: BodyBytes, terms?: RequestTerms): ScannedRequest
  /** The other name of the same model, where the format has two, such as `m` and `m:latest`. */
  otherNameOf?(model: string): string | undefined
  /** Converts the texts of a form to a JSON body, for operations that accept forms. Throws `GatewayError` (400). */
  readForm?(form: UploadedForm): BodyBytes
  /**
   * Reads the terms that decide the request's cost, without reading the whole body. Throws `GatewayError` (400) where a
   * field that affects the price appears twice, or is written so that only a lax upstream would read it.
   */
  readSpendingTerms(scanned: ScannedRequest): SpendingTerms
  /** Whether the request ends before its answer is generated, so that it does not learn the usage. Absent: never. */
  isBackground?(scanned: ScannedRequest): boolean
  /** Whether the operation only counts the tokens of a request. */
  readonly onlyCounts?: true
  /** The end user and the tags that the body names. */
  readCallerLabels(scanned: ScannedRequest): CallerLabels
  /** Names of the caller's headers that a channel of the same format gets unchanged, besides those of its provider. */
  readonly forwardedHeaders: readonly string[]
  /** Returns the part of the path's query that is forwarded, with its question mark; absent where none is. */
  forwardQuery?(query: string): string
  /** Writes the body that a channel receives: the caller's bytes with the model's name and other required changes. */
  spliceRequest(scanned: ScannedRequest, change: RequestChange): readonly Buffer[]
  /** Reads a whole answer without translating it. Never throws. */
  watchReply(body: JsonValue): WatchedReply
  /** Classifies an upstream's error answer by status, code and text (docs/invariants.md, F12 to F22). Never throws. */
  readError(answer: UpstreamError): Failure
  /** The path of the usage object in a whole answer. */
  readonly usagePath: UsagePath
  /** The field of the caller's format in which a lost feature was requested, such as `tools.strict`. */
  paramOf(loss: Loss): string
}

/** An operation that a model answers with content. Its requests and answers have a canonical form. */
export interface ConversationFormat extends Operation {
  readonly kind: 'conversation'
  /** Throws `GatewayError` (400, with `param` in the caller's names) on requests that the format forbids. */
  readRequest(body: JsonObject): ChatRequest
  /** Reads a request with pauses for the event loop, for a body of many messages. */
  readRequestInSteps(body: JsonObject): Steps<ChatRequest>
  /** Reads one request for each question in the body, where a channel can answer only one at a time. */
  readRequests?(body: JsonObject): readonly ChatRequest[]
  /** Reads a reply. Never throws: a reply that is not an answer of the format becomes a failure. */
  readReply(body: JsonValue): Reply | Failure
  /** Reads a reply with pauses for the event loop, for an answer of many parts. */
  readReplyInSteps(body: JsonValue): Steps<Reply | Failure>
  writeReply(reply: Reply, form?: AnswerForm): Written<JsonObject>
  /** Writes a reply with pauses for the event loop, where a large answer takes long to write. */
  writeReplyInSteps?(reply: Reply, form?: AnswerForm): Steps<Written<JsonObject>>
  createStreamWriter(options: StreamWriterOptions): StreamWriter
  /** The field in which callers put a file's URL, where the file's bytes have another field. */
  readonly addressParam?: string
  /** Whether the caller gets usage in the stream, on request or because the format always sends it. */
  asksForUsage(scanned: ScannedRequest): boolean
  /** The answer form that this caller expects, where the format has several. */
  answerFormOf?(scanned: ScannedRequest): AnswerForm
  /**
   * Lowers the output cap in the caller's bytes, and the thinking budget with it. Adds a cap where there is none. A cap
   * that is low enough does not change.
   */
  setOutputCap(scanned: ScannedRequest, cap: OutputCap): CapChange
  createStreamWatcher(): StreamWatcher
  /** Reads the usage as a frame states it, to forward it unchanged in an answer that is joined from a stream. */
  findStatedUsage?(frame: SseFrame): Extras | undefined
  /** Whether a request may continue a stored response. */
  readonly continuesResponses?: true
  /** Whether answers report how long they took. Writers then need a timer. */
  readonly statesTimes?: true
  /** Whether clients return the calls of an answer without their IDs. */
  readonly dropsCallIds?: true
  /** Whether requests cannot contain files. */
  readonly isTextAlone?: true
  /** An endpoint besides the family's own, which not every channel has. */
  readonly extraEndpoint?: 'completions'
  /** The path of the usage object in the event that ends an answer or follows its end. */
  readonly eventUsagePath: UsagePath
  /** The frames that end a stream whose upstream sent a finish reason but not these frames. */
  readonly terminator: string
}

/** A format that channels speak: the gateway can write its requests and read its answers. */
export interface ChannelFormat {
  readonly id: ChannelFormatId
  readonly path: Operation['path']
  writeRequest(request: ChatRequest, target: WriteTarget): WrittenRequest
  /** Writes a request with pauses for the event loop, for a conversation of many turns. */
  writeRequestInSteps(request: ChatRequest, target: WriteTarget): Steps<WrittenRequest>
  /** Reads a reply. Never throws: a reply that is not an answer of the format becomes a failure. */
  readReply(body: JsonValue): Reply | Failure
  /** Reads a reply with pauses for the event loop, for an answer of many parts. */
  readReplyInSteps(body: JsonValue): Steps<Reply | Failure>
  /**
   * Reads a whole answer without translating it. Formats that only channels speak read its usage alone. Never throws.
   */
  watchReply(body: JsonValue): WatchedReply
  createStreamReader(): StreamReader
  /**
   * Whether a file of this kind can be sent only as bytes. Without a rule of the format, the dialect's rule for URLs
   * applies.
   */
  needsBytes?(kind: MediaKind, dialect: Dialect): boolean
  /** Whether unsigned reasoning is also sent back in earlier turns. */
  wantsReasoningBack?(dialect: Dialect): boolean
  /** Classifies an upstream's error answer by status, code and text. Never throws. */
  readError(answer: UpstreamError): Failure
  /** The features that `writeRequest` can lose, or `writeReply` where callers speak the format, too, for the docs. */
  readonly possibleLosses: readonly LossFeature[]
  /** The form in which embeddings are requested, where channels of this format can serve callers of another format. */
  readonly embeddings?: ChannelEmbeddings
}

/** The form in which embeddings are requested from channels, where it differs from a caller's form. */
export interface ChannelEmbeddings {
  readonly path: Operation['path']
  /**
   * `model` is the upstream's name of the model. Throws `GatewayError` (400) on inputs that the format cannot carry.
   */
  writeRequest(request: EmbeddingRequest, model: string): Written<JsonObject>
  /** Reads a reply. Never throws: a reply that is not an answer of the format becomes a failure. */
  readReply(body: JsonValue): EmbeddingReply | Failure
}

/** A format that both callers and channels speak. */
export interface WireFormat extends ConversationFormat, ChannelFormat {
  readonly id: FormatId
  watchReply(body: JsonValue): WatchedReply
}

export interface WrittenRequest extends Written<JsonObject> {
  /**
   * Tools whose calls the answer must write in the caller's form, where the channel's body offers them in another form.
   */
  readonly callerTools?: CallerTools
  /** Whether the caller's content is empty, which the format cannot carry. */
  readonly isSilent?: true
}

export interface WriteTarget {
  /** The upstream's name of the model. */
  readonly model: string
  readonly dialect: Dialect
}

export interface UpstreamError {
  readonly status: number
  readonly headers: Readonly<Record<string, string | undefined>>
  /** The raw body, cut to a maximum size. */
  readonly body: Buffer
  /** Wall time, the reference for dates in the headers; absent where it is unknown. */
  readonly receivedAtMs?: number
  /** Whether the request named an object that the provider stores. The error may then be about that object. */
  readonly namesStoredObjects?: boolean
}

export interface RenderedError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
}

/** The terms that some formats put into the path of a request, and other formats into its body. */
export interface RequestTerms {
  /** The model: the public name in a caller's path, the upstream's name in a channel's path. */
  readonly model: string
  readonly isStream: boolean
}

export interface ScannedRequest {
  readonly body: BodyBytes
  /** The form from which the body was made; absent where the caller sent JSON. */
  readonly form?: UploadedForm
  /** Set where the path contained the model and the stream flag, so that the body does not. */
  readonly terms?: RequestTerms
  readonly model: string
  readonly isStream: boolean
  /** Top-level fields by name, with letter case folded, as spans of the body; see `kit/json/scan-object.ts`. */
  readonly fields: ReadonlyMap<string, FieldSpan>
  /** The offset just after the opening brace. */
  readonly insertAt: number
  readonly isEmpty: boolean
}

export interface FieldSpan {
  readonly name: string
  /** The offset of the name's opening quote. */
  readonly nameStart: number
  readonly valueStart: number
  readonly valueEnd: number
  /** The number of texts, where the value is a list of only texts. 0 for an empty list and for any other value. */
  readonly texts: number
}

/** A replacement of bytes in a body. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The property names that lead to the usage of an answer, outermost first. Empty where the answer itself holds it. */
export type UsagePath = readonly string[]

export interface RequestChange {
  readonly model: string
  /** Whether to ask the upstream for usage in the stream, even if the caller did not ask for it. */
  readonly askForUsage: boolean
  /** The body's shape, where the provider's path contains fields that the messages format puts into the body. */
  readonly shape?: BodyShape | undefined
  /** The provider's ID of the response that this request of the responses format continues. */
  readonly previousResponseId?: string | undefined
  /** The edits that `setOutputCap` returned. No other change touches these fields. */
  readonly capEdits?: readonly Edit[] | undefined
}

/** The maximum output of an attempt. */
export interface OutputCap {
  readonly tokens: number
  /** The dialect of the model that the channel serves. */
  readonly dialect: Dialect
}

/** The changes that a lower output cap makes to a body. A loss is a feature that the body then no longer requests. */
export interface CapChange {
  readonly edits: readonly Edit[]
  readonly losses: readonly Loss[]
}
