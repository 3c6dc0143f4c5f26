import type { Readable } from 'node:stream'
import type { Caller } from '../../access/key.ts'
import type { GatewayError } from '../../canonical/failure.ts'
import type { PassthroughMethod } from '../../canonical/operations/passthrough-method.ts'
import type { UploadedForm } from '../../canonical/uploads/uploaded-form.ts'
import type { BodyBytes } from '../../kit/json/body-bytes.ts'
import type { RequestRow } from '../../telemetry/observer.ts'
import type { CallerFormat } from '../../wire/caller-format.ts'
import type { RequestTerms } from '../../wire/wire-format.ts'
import type { ResponseMemory } from './response-memory.ts'

export interface StoredResponseRequest {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly id: string
  /** The path after the response's own path; empty for the response itself. */
  readonly action: '' | '/cancel' | '/input_items'
  /** The query with its question mark; empty if there is no query. */
  readonly query: string
  readonly isStream: boolean
}

interface RequestFacts {
  readonly requestId: string
  /** The format of the request, which follows from its path. */
  readonly format: CallerFormat
  readonly path: string
  readonly caller: Caller
  readonly address: string
  /** Header names are in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The query without the question mark. */
  readonly query: string
  /** The body as JSON. For a form, it holds the text fields. */
  readonly body: BodyBytes
  /** The form that was uploaded as the body; undefined if the body was JSON. */
  readonly form?: UploadedForm | undefined
  /** The time by `Clock.monotonicMs` at which the request's head was complete. */
  readonly startedAtMs: number
}

/** A request to a model. */
export interface OperationRequest extends RequestFacts {
  readonly type: 'operation'
  /** The terms in the path, for formats that have terms there. */
  readonly terms?: RequestTerms | undefined
  /** The only target that may be called; undefined where routing decides. */
  readonly pin?: PinnedTarget | undefined
  /**
   * The account that stores the objects that the body names; undefined where the body names no object of the gateway.
   */
  readonly holder?: Holder | undefined
  /**
   * The field by which the body names an object that is not known to the gateway. Only channels that allow this may be
   * called.
   */
  readonly foreignField?: string | undefined
  /** The responses of the request's connection; undefined where the connection has no memory. */
  readonly memory?: ResponseMemory | undefined
  /** Called at the end with the row of the request, for a caller in this process. It must not throw. */
  readonly onEnded?: ((row: RequestRow) => void) | undefined
}

/** The provider's name of an object, and the gateway's name of it. */
export interface Renaming {
  readonly theirs: string
  readonly ours: string
}

/** The account that stores the objects that a request names. No other account can be called. */
export interface Holder {
  readonly channelName: string
  readonly credentialId: string | undefined
  /** The names that the body has now, and the names that its caller knows. */
  readonly renamings: readonly Renaming[]
}

export interface PinnedTarget {
  readonly channel: string
  /** The upstream's name of the model; undefined for any model that the channel has for the public name. */
  readonly upstreamModel: string | undefined
  /**
   * Whether the request is a trial of something that its target may not be able to do. Failures of a trial do not count
   * against the target's health.
   */
  readonly isTrial: boolean
}

/** A request for a response that is already stored. */
export interface RetrievalRequest extends RequestFacts {
  readonly type: 'stored-response'
  readonly stored: StoredResponseRequest
}

/** A list of the key's files or batches. */
export interface RequestedList {
  readonly type: 'list'
  readonly of: 'file' | 'batch'
}

/** A request to OpenAI's files and batches. */
export type RequestedOpenaiObject =
  | { readonly type: 'upload-file' | 'create-batch' }
  | RequestedList
  | { readonly type: 'read-file'; readonly id: string }
  | { readonly type: 'show-file' | 'delete-file' | 'show-batch' | 'cancel-batch'; readonly id: string }

interface RequestedById {
  /** The ID of the object; empty where the request is about no existing object. */
  readonly id: string
}

/** A request to Anthropic's message batches. */
export interface RequestedMessageBatch extends RequestedById {
  readonly type: 'message-batch'
  readonly action: 'create' | 'list' | 'show' | 'results' | 'cancel' | 'delete'
}

/** A request to Anthropic's files. */
export interface RequestedMessageFile extends RequestedById {
  readonly type: 'message-file'
  readonly action: 'upload' | 'list' | 'show' | 'content' | 'delete'
}

/** A request to Gemini's files. `start` opens an upload, and `continue` sends more of it. */
export interface RequestedGeminiFile extends RequestedById {
  readonly type: 'gemini-file'
  readonly action: 'start' | 'continue' | 'list' | 'show' | 'delete'
}

/** A request to Gemini's cached contents. */
export interface RequestedCachedContent extends RequestedById {
  readonly type: 'cached-content'
  readonly action: 'create' | 'list' | 'show' | 'change' | 'delete'
}

/** A request for an object that a provider stores. */
export type RequestedObject =
  | RequestedOpenaiObject
  | RequestedMessageBatch
  | RequestedMessageFile
  | RequestedGeminiFile
  | RequestedCachedContent

/** A request for a file, a batch or a cached content. */
export interface ObjectRequest extends RequestFacts {
  readonly type: 'object'
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The address by which the caller reaches this gateway, such as `https://models.example.com`. */
  readonly origin: string
  readonly requested: RequestedObject
}

/** A body that is not read yet. It can be read once, by one of the two methods. */
export interface UnreadBody {
  /** The length in bytes; undefined where the caller does not state it. */
  readonly length: number | undefined
  /** The number of bytes that have arrived. */
  readonly bytesRead: number
  /** The error of a body that was refused while it arrived, such as a body that is too large. */
  readonly fault: GatewayError | undefined
  /** Reads the body into memory. Rejects with `GatewayError`. */
  readWhole(): Promise<BodyBytes>
  /** Reads the body at the pace of the stream's reader. The stream ends with an error if the body breaks off. */
  openStream(): Readable
}

/** A request for a path of a channel's provider. */
export interface PassthroughRequest extends RequestFacts {
  readonly type: 'passthrough'
  readonly method: PassthroughMethod
  readonly channelName: string
  /** The path after `/passthrough/{channel}/`, as it was sent. */
  readonly rawPath: string
  /** Undefined for a request without a body. */
  readonly unread: UnreadBody | undefined
}

/** A caller's request as the server received it. It is complete, except for the body of a pass-through. */
export type CallerRequest = OperationRequest | RetrievalRequest | ObjectRequest | PassthroughRequest

/** The number of bytes of a request's body, as received. */
export function bodyLengthOf(request: CallerRequest): number {
  if (request.type === 'passthrough') return request.unread?.bytesRead ?? 0
  return request.form?.bytes ?? request.body.length
}
