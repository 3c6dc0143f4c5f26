import type { KeyId } from '../access/key.ts'
import type { EstimatedCharge } from '../canonical/estimated-charge.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { JsonObject } from '../kit/json/json.ts'

/** The facts of a file that its key uploaded, or that a batch of the key made. */
export interface FileDetail {
  readonly type: 'file'
  readonly filename: string
  /** The bytes that the provider stores. */
  readonly bytes: number
  readonly purpose: 'batch' | 'batch_output'
  /** Undefined where a batch made the file. */
  readonly input: BatchInputFacts | undefined
}

/** The facts of a batch's input that were read from its lines. */
export interface BatchInputFacts {
  /** The path that every line asks, such as `/v1/chat/completions`. */
  readonly endpoint: string
  readonly lines: number
  /** The most that all lines together can cost; undefined without a price. */
  readonly worst: { readonly cost: NanoDollars; readonly priceVersion: string } | undefined
}

export interface BatchDetail {
  readonly type: 'batch'
  readonly endpoint: string
  readonly inputFileId: string
  /** The terms that correct the ledger's row when the batch is over. */
  readonly charge: EstimatedCharge
  /** The number of times that the provider was asked in the background. */
  readonly polls: number
  /** The batch as the caller saw it last. */
  readonly shown: JsonObject
}

/** The cost of one model's requests in a batch of messages. */
export interface MessageBatchPart {
  readonly publicName: string
  /** The terms that correct the ledger's row when the batch is over. */
  readonly charge: EstimatedCharge
  /** Digests of the `custom_id` of its requests, one after the other; undefined for all that no other part names. */
  readonly requests: string | undefined
}

/** A batch of requests of Anthropic's messages format. */
export interface MessageBatchDetail {
  readonly type: 'message-batch'
  readonly parts: readonly MessageBatchPart[]
  readonly polls: number
  readonly shown: JsonObject
}

/** A file or cached content as its caller saw it last, under our names. */
export interface ShownDetail {
  readonly type: 'message-file' | 'gemini-file' | 'cached-content'
  readonly shown: JsonObject
  /** The provider's address of it, where requests name it by one. */
  readonly uri: string | undefined
}

/** An upload that a caller makes in parts. */
export interface UploadDetail {
  readonly type: 'gemini-upload'
  /** The path and query of the provider's session, on the host of the channel. */
  readonly sessionPath: string
}

export type ObjectDetail = FileDetail | BatchDetail | MessageBatchDetail | ShownDetail | UploadDetail

/** An object that a provider stores for one of our keys, under an id of its own that no caller sees. */
export interface RemoteObject {
  readonly keyId: KeyId
  /** The id that callers know. */
  readonly id: string
  readonly channelName: string
  readonly credentialId: string | undefined
  /** The model that it belongs to; empty for what belongs to none. */
  readonly publicName: string
  readonly upstreamModel: string
  readonly providerId: string
  /** Milliseconds since 1970, as are the next. */
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** The time of the next look at a batch; undefined once it is over and billed, and for all else. */
  readonly pollAtMs: number | undefined
  readonly detail: ObjectDetail
}

export interface RemoteObjectPage {
  readonly type: ObjectDetail['type']
  /** The last id of the page before. */
  readonly after: string | undefined
  readonly limit: number
  readonly isAscending: boolean
}

/** Stores whose objects are whose, over a restart. An id alone opens nothing: each is found by its key and its id. */
export interface RemoteObjectStore {
  find(keyId: KeyId, id: string): Promise<RemoteObject | undefined>
  /** Finds an object by the provider's id, among those of one key on one channel. */
  findRemote(keyId: KeyId, channelName: string, providerId: string): Promise<RemoteObject | undefined>
  /** The ids, among these of providers, of what any key has stored. */
  findStored(providerIds: readonly string[]): Promise<readonly string[]>
  list(keyId: KeyId, page: RemoteObjectPage): Promise<readonly RemoteObject[]>
  /** Stores an object. One that another request has stored under the same id of the provider stays as it is. */
  add(object: RemoteObject): Promise<void>
  /** Changes when a stored object is looked at and when it expires, and its detail. */
  update(object: RemoteObject): Promise<void>
  delete(keyId: KeyId, id: string): Promise<void>
  /** Batches whose time to be looked at has come, the longest due first. */
  findDue(nowMs: number, limit: number): Promise<readonly RemoteObject[]>
  /** Drops what has expired or belongs to revoked keys, but no batch that is not billed yet. */
  prune(nowMs: number): Promise<void>
}
