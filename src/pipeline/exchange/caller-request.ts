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
  /** The path below the response's own; empty for the response itself. */
  readonly action: '' | '/cancel' | '/input_items'
  /** The query with its question mark; empty without one. */
  readonly query: string
  readonly isStream: boolean
}

interface RequestFacts {
  readonly requestId: string
  /** The format of the request, by the path that it came to. */
  readonly format: CallerFormat
  readonly path: string
  readonly caller: Caller
  readonly address: string
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The query without the question mark. */
  readonly query: string
  /** The body as JSON; that of a form holds its texts. */
  readonly body: BodyBytes
  /** The form that the body was; undefined where it was JSON. */
  readonly form?: UploadedForm | undefined
  /** The time by `Clock.monotonicMs` at which the request's head was complete. */
  readonly startedAtMs: number
}

/** Asks a model for something. */
export interface OperationRequest extends RequestFacts {
  readonly type: 'operation'
  /** The terms that the path has, where the format has them there. */
  readonly terms?: RequestTerms | undefined
  /** The only target that may be asked; undefined where routing decides. */
  readonly pin?: PinnedTarget | undefined
  /** The account that stores what the body names; undefined where it names nothing of ours. */
  readonly holder?: Holder | undefined
  /** The field by which the body names what is not ours: only channels that allow it may be asked. */
  readonly foreignField?: string | undefined
  /** The responses of its connection; undefined where a connection means nothing. */
  readonly memory?: ResponseMemory | undefined
  /** Called at the end with the row of the request, for its caller in this process. Must not throw. */
  readonly onEnded?: ((row: RequestRow) => void) | undefined
}

/** A provider's name of an object, and ours. */
export interface Renaming {
  readonly theirs: string
  readonly ours: string
}

/** The account that stores what a request names: no other can be asked. */
export interface Holder {
  readonly channelName: string
  readonly credentialId: string | undefined
  /** The names that the body has by now, and those that its caller knows. */
  readonly renamings: readonly Renaming[]
}

export interface PinnedTarget {
  readonly channel: string
  /** The upstream's name of the model; undefined for any that the channel has for the public name. */
  readonly upstreamModel: string | undefined
  /** Whether the request tries out what its target may not be able to do: its failures do not count against it. */
  readonly isTrial: boolean
}

/** Asks for a response that is stored already. */
export interface RetrievalRequest extends RequestFacts {
  readonly type: 'stored-response'
  readonly stored: StoredResponseRequest
}

/** A list of the key's files or batches. */
export interface AskedList {
  readonly type: 'list'
  readonly of: 'file' | 'batch'
  /** The query without the question mark. */
  readonly query: string
}

/** The thing that is asked of OpenAI's files and batches. */
export type AskedOpenaiObject =
  | { readonly type: 'upload-file' | 'create-batch' }
  | AskedList
  | {
      readonly type: 'show-file' | 'read-file' | 'delete-file' | 'show-batch' | 'cancel-batch'
      readonly id: string
    }

interface AskedById {
  /** Empty where nothing that is there is meant. */
  readonly id: string
  /** The query without the question mark. */
  readonly query: string
}

/** Something that is asked of Anthropic's batches of messages. */
export interface AskedMessageBatch extends AskedById {
  readonly type: 'message-batch'
  readonly action: 'create' | 'list' | 'show' | 'results' | 'cancel' | 'delete'
}

/** Something that is asked of Anthropic's files. */
export interface AskedMessageFile extends AskedById {
  readonly type: 'message-file'
  readonly action: 'upload' | 'list' | 'show' | 'content' | 'delete'
}

/** Something that is asked of Gemini's files; `start` opens an upload, and `continue` goes on with it. */
export interface AskedGeminiFile extends AskedById {
  readonly type: 'gemini-file'
  readonly action: 'start' | 'continue' | 'list' | 'show' | 'delete'
}

/** Something that is asked of Gemini's cached contents. */
export interface AskedCachedContent extends AskedById {
  readonly type: 'cached-content'
  readonly action: 'create' | 'list' | 'show' | 'change' | 'delete'
}

/** The thing that is asked of what providers store. */
export type AskedObject =
  | AskedOpenaiObject
  | AskedMessageBatch
  | AskedMessageFile
  | AskedGeminiFile
  | AskedCachedContent

/** Asks for a file or a batch. */
export interface ObjectRequest extends RequestFacts {
  readonly type: 'object'
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The address by which the caller reaches this gateway, such as `https://models.example.com`. */
  readonly origin: string
  readonly asked: AskedObject
}

/** A body that is not read yet. It is read once, in one way or the other. */
export interface UnreadBody {
  /** Undefined where the caller does not say it. */
  readonly length: number | undefined
  /** The bytes that have come. */
  readonly bytesRead: number
  /** The error of a body that was refused on its way, such as one that is too large. */
  readonly fault: GatewayError | undefined
  /** Reads it into memory. Rejects with `GatewayError`. */
  readWhole(): Promise<BodyBytes>
  /** Reads it at the pace of the stream's reader. The stream ends with an error where the body breaks. */
  openStream(): Readable
}

/** Asks a channel's provider for a path of its own. */
export interface PassthroughRequest extends RequestFacts {
  readonly type: 'passthrough'
  readonly method: PassthroughMethod
  readonly channelName: string
  /** The path below `/passthrough/{channel}/`, as it was sent. */
  readonly rawPath: string
  /** Undefined without one. */
  readonly unread: UnreadBody | undefined
}

/** A caller's request as the server received it, whole but for the body of a pass-through. */
export type CallerRequest = OperationRequest | RetrievalRequest | ObjectRequest | PassthroughRequest

/** The bytes of a request's body, as received. */
export function bodyLengthOf(request: CallerRequest): number {
  if (request.type === 'passthrough') return request.unread?.bytesRead ?? 0
  return request.form?.bytes ?? request.body.length
}
