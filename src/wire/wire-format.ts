import type { EmbeddingReply, EmbeddingRequest } from '../canonical/embedding.ts'
import type { Failure } from '../canonical/failure.ts'
import type { ChannelFormatId, Extras, FamilyId, FormatId, OperationId } from '../canonical/format.ts'
import type { Loss, LossFeature, Written } from '../canonical/loss.ts'
import type { MediaKind } from '../canonical/media.ts'
import type { Reply } from '../canonical/reply.ts'
import type { ReplyEvent } from '../canonical/reply-event.ts'
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
import type { SpendingTerms } from './spending-terms.ts'
import type { StreamWatcher, WatchedReply } from './watched-reply.ts'

/** The form in which a format writes errors, pings and other frames that are not an answer. */
export interface FormatFrames {
  writeError(failure: Failure, requestId: string): RenderedError
  /** The frame that ends a stream which cannot go on. */
  writeErrorEvent(failure: Failure, requestId: string): string
  /**
   * The header under which clients of this format look for the request's id; every answer has it in
   * `x-request-id`, too.
   */
  readonly requestIdHeader: 'request-id' | 'x-request-id' | 'x-amzn-requestid'
  /** A frame that only keeps the connection alive; empty where the format has none. */
  readonly heartbeat: string
  /** The content type of streams, where they are not server-sent events. */
  readonly streamType?: string
  /** Writes what is left of our rate limits under the names that clients of this format know; `nowMs` is wall time. */
  writeLimitHeaders(limits: readonly LimitStatus[], nowMs: number): Readonly<Record<string, string>>
}

/** An operation that callers can ask for, as far as its bytes go to a channel of the same format. Pure, no I/O. */
export interface Operation extends FormatFrames {
  readonly id: OperationId
  /** The format of the channels that can take the caller's bytes; errors are written in it. */
  readonly family: FamilyId
  /** The path below a channel's base address, such as `/chat/completions`, with its query if it has one. */
  readonly path: string | ((terms: RequestTerms) => string)
  /**
   * Finds what routes, steers and prices in a body's bytes. Throws `GatewayError` (400) on what is unsafe to pass.
   * `terms` come from the caller's path; only formats whose path contains them use them.
   */
  scanRequest(body: BodyBytes, terms?: RequestTerms): ScannedRequest
  /** The texts of a form as a JSON body, for operations that take forms. Throws `GatewayError` (400). */
  readForm?(form: UploadedForm): BodyBytes
  /**
   * Reads what the request can cost, without reading all of it. Throws `GatewayError` (400) where a field that prices
   * is written twice, or so that only a lax upstream would read it.
   */
  readSpendingTerms(scanned: ScannedRequest): SpendingTerms
  /** The customer and the tags that the body names. */
  readCallerLabels(scanned: ScannedRequest): CallerLabels
  /**
   * Names of the caller's headers that go on to a channel of the same format, unchanged, on top of those that its
   * provider declares.
   */
  readonly forwardedHeaders: readonly string[]
  /** The part of the path's query that goes on, with its question mark; absent where none does. */
  forwardQuery?(query: string): string
  /** The body that a channel gets: the caller's bytes with the model's name and what we need changed. */
  spliceRequest(scanned: ScannedRequest, change: RequestChange): readonly Buffer[]
  /** Reads a whole answer without translating it. Never throws. */
  watchReply(body: JsonValue): WatchedReply
  /** Classifies an upstream's error answer by status, code and text (docs/invariants.md, F12 to F22). Never throws. */
  readError(answer: UpstreamError): Failure
  /** The path of the usage in a whole answer. */
  readonly usagePath: UsagePath
  /** The field that a caller finds a lost feature in, such as `tools.strict`. */
  paramOf(loss: Loss): string
}

/** An operation that a model answers with content: read into the canonical form, its answer written from there. */
export interface ConversationFormat extends Operation {
  readonly kind: 'conversation'
  /** Throws `GatewayError` (400, with `param` in the caller's names) on what the format forbids. */
  readRequest(body: JsonObject): ChatRequest
  /** The same with pauses, for a body of many messages. */
  readRequestInSteps(body: JsonObject): Steps<ChatRequest>
  /** Reads a request for each thing that one body asks, where a channel answers them one by one. */
  readRequests?(body: JsonObject): readonly ChatRequest[]
  /** Reads a reply. It never throws: what is not an answer becomes a failure. */
  readReply(body: JsonValue): Reply | Failure
  /** The same with pauses, for an answer of many parts. */
  readReplyInSteps(body: JsonValue): Steps<Reply | Failure>
  writeReply(reply: Reply, form?: AnswerForm): Written<JsonObject>
  /** The same with pauses, where a large answer takes long to write. */
  writeReplyInSteps?(reply: Reply, form?: AnswerForm): Steps<Written<JsonObject>>
  createStreamWriter(options: StreamWriterOptions): StreamWriter
  /** The field in which callers put a file's address, where its bytes have another field. */
  readonly addressParam?: string
  /** Whether the caller gets usage in the stream, by asking for it or because the format always sends it. */
  asksForUsage(scanned: ScannedRequest): boolean
  /** The form that this caller expects, where the format has several for one thing. */
  answerFormOf?(scanned: ScannedRequest): AnswerForm
  /**
   * Lowers the output cap of the caller's bytes, and the thinking budget with it; sets one where there is
   * none. A cap that is low enough is left as it is.
   */
  setOutputCap(scanned: ScannedRequest, cap: OutputCap): CapChange
  createStreamWatcher(): StreamWatcher
  /** Usage as a frame states it, where an answer that is made whole is to pass it on unchanged. */
  findStatedUsage?(frame: SseFrame): Extras | undefined
  /** Whether a request may go on from a stored response. */
  readonly continuesResponses?: true
  /** Whether answers say how long they took, so that writers need a timer. */
  readonly statesTimes?: true
  /** Whether requests hold no files. */
  readonly isTextAlone?: true
  /** An endpoint beside the family's own, which not every channel has. */
  readonly extraEndpoint?: 'completions'
  /** The path of the usage in the event that ends an answer or comes after it. */
  readonly eventUsagePath: UsagePath
  /** The frames that end a complete stream whose upstream sent a finish reason and forgot them. */
  readonly terminator: string
}

/** A format that channels speak: its requests can be written and its answers read. */
export interface ChannelFormat {
  readonly id: ChannelFormatId
  readonly path: Operation['path']
  writeRequest(request: ChatRequest, target: WriteTarget): WrittenRequest
  /** The same with pauses, for a conversation of many turns. */
  writeRequestInSteps(request: ChatRequest, target: WriteTarget): Steps<WrittenRequest>
  /** Reads a reply. It never throws: what is not an answer becomes a failure. */
  readReply(body: JsonValue): Reply | Failure
  /** The same with pauses, for an answer of many parts. */
  readReplyInSteps(body: JsonValue): Steps<Reply | Failure>
  createStreamReader(): StreamReader
  /**
   * Whether a file of this kind can only be sent as its bytes. Without a rule of the format, the dialect's rule for
   * addresses applies.
   */
  needsBytes?(kind: MediaKind, dialect: Dialect): boolean
  /** Whether unsigned reasoning, too, is sent back in earlier turns. */
  wantsReasoningBack?(dialect: Dialect): boolean
  /** Classifies an upstream's error answer by status, code and text. Never throws. */
  readError(answer: UpstreamError): Failure
  /**
   * The features that `writeRequest` can lose, or `writeReply` where callers speak the format as well, for the docs.
   */
  readonly possibleLosses: readonly LossFeature[]
  /** The form in which vectors are asked for, where callers of another format can be served so. */
  readonly embeddings?: ChannelEmbeddings
}

/** The form in which channels are asked for vectors, where it differs from a caller's. */
export interface ChannelEmbeddings {
  readonly path: Operation['path']
  /** `model` is the upstream's name. Throws `GatewayError` (400) on inputs that cannot be carried. */
  writeRequest(request: EmbeddingRequest, model: string): Written<JsonObject>
  /** Reads a reply. It never throws: what is not an answer becomes a failure. */
  readReply(body: JsonValue): EmbeddingReply | Failure
}

/** A format that callers and channels speak. */
export interface WireFormat extends ConversationFormat, ChannelFormat {
  readonly id: FormatId
}

export interface WrittenRequest extends Written<JsonObject> {
  /** Tools that the answer must call as the caller does, where the body calls them otherwise. */
  readonly callerTools?: CallerTools
  /** The caller's content is empty, and the format cannot carry empty content. */
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
  /** The raw body, cut to a bound. */
  readonly body: Buffer
  /** Wall time, the reference for dates in the headers; absent where it is unknown. */
  readonly receivedAtMs?: number
  /** Whether the request named something that the provider keeps, which may be what was refused or not found. */
  readonly namesStoredObjects?: boolean
}

export interface RenderedError {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
}

/** `push` and `end` never throw; after a failure event nothing more comes. */
export interface StreamReader {
  push(frame: SseFrame): readonly ReplyEvent[]
  /** The upstream's stream is over: open blocks end, or a failure reports that it was cut. */
  end(): readonly ReplyEvent[]
}

export interface StreamWriterOptions extends AnswerForm {
  /** Whether to leave out empty fields, which the provider may not have sent. */
  readonly isSparse?: boolean
  /** Whether the caller asked for usage in the stream, where the format lets callers choose. */
  readonly streamUsage: boolean
  readonly requestId: string
}

/** Turns events into the text of whole frames. */
export interface StreamWriter {
  push(event: ReplyEvent): string
  readonly losses: readonly Loss[]
  /** Whether the writer stores the text of each block, which its format repeats at the block's end. */
  readonly keepsText?: true | undefined
  /** The whole answer of the responses format, once it is written. */
  readonly response?: JsonObject | undefined
}

/** The terms that some formats put into the path of a request, and others into its body. */
export interface RequestTerms {
  /** The model: in a caller's path the public name, in a channel's the upstream's. */
  readonly model: string
  readonly isStream: boolean
}

export interface ScannedRequest {
  readonly body: BodyBytes
  /** The form that the body was; absent where it was JSON. */
  readonly form?: UploadedForm
  /** Set where the path contained model and stream, so that the body does not. */
  readonly terms?: RequestTerms
  readonly model: string
  readonly isStream: boolean
  /** Top-level fields by name, letter case folded away, as spans of the body; see `kit/json/scan-object.ts`. */
  readonly fields: ReadonlyMap<string, FieldSpan>
  /** Offset just after the opening brace. */
  readonly insertAt: number
  readonly isEmpty: boolean
}

export interface FieldSpan {
  readonly name: string
  /** The offset of the name's opening quote. */
  readonly nameStart: number
  readonly valueStart: number
  readonly valueEnd: number
  /** The texts of a list of texts; 0 for an empty list, for one that holds anything else, and for any other value. */
  readonly texts: number
}

/** A replacement of some bytes of a body. */
export interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** The members that lead to the usage of an answer, from outside in. */
export type UsagePath = readonly [string, ...string[]]

export interface RequestChange {
  readonly model: string
  /** Whether to ask the upstream for usage in the stream, whatever the caller asked for. */
  readonly askForUsage: boolean
  /** The body's shape where the provider's path contains what the messages format puts into the body. */
  readonly shape?: BodyShape | undefined
  /** The provider's ID of the response that this request of the responses format continues. */
  readonly previousResponseId?: string | undefined
  /** The edits that `setOutputCap` asks for, of fields that nothing else changes. */
  readonly capEdits?: readonly Edit[] | undefined
}

/** The most tokens of output that an attempt may cost. */
export interface OutputCap {
  readonly tokens: number
  /** The dialect of the model that is asked. */
  readonly dialect: Dialect
}

/** The changes of a body by a lower output cap; a loss is what the body then asks for no more. */
export interface CapChange {
  readonly edits: readonly Edit[]
  readonly losses: readonly Loss[]
}
