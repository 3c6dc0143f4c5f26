import type { KeyId } from '../access/key.ts'
import type { EstimatedCharge } from '../canonical/estimated-charge.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { JsonObject } from '../kit/json/json.ts'

/** The facts about a file that its key uploaded, or that a batch of the key made. */
export interface FileDetail {
  readonly type: 'file'
  readonly filename: string
  /** The size in bytes of the file at the provider. */
  readonly bytes: number
  readonly purpose: 'batch' | 'batch_output'
  /** Undefined where a batch made the file. */
  readonly input: BatchInputFacts | undefined
}

/** The facts about a batch's input, read from its lines. */
export interface BatchInputFacts {
  /** The path that every line requests, such as `/v1/chat/completions`. */
  readonly endpoint: string
  readonly lines: number
  /** The maximum cost of all lines together; undefined without a price. */
  readonly worst: { readonly cost: NanoDollars; readonly priceVersion: string } | undefined
}

export interface BatchDetail {
  readonly type: 'batch'
  readonly endpoint: string
  readonly inputFileId: string
  /** The terms that correct the ledger's row when the batch is over. */
  readonly charge: EstimatedCharge
  /** The number of times that the provider was polled in the background. */
  readonly polls: number
  /** The batch as it was last shown to the caller. */
  readonly shown: JsonObject
}

/** The cost of one model's requests in a batch of messages. */
export interface MessageBatchPart {
  readonly publicName: string
  /** The terms that correct the ledger's row when the batch is over. */
  readonly charge: EstimatedCharge
  /**
   * Digests of the `custom_id` of its requests, one after the other. Undefined for the part that has all requests
   * that no other part names.
   */
  readonly requests: string | undefined
}

/** A batch of requests of Anthropic's messages format. */
export interface MessageBatchDetail {
  readonly type: 'message-batch'
  readonly parts: readonly MessageBatchPart[]
  readonly polls: number
  readonly shown: JsonObject
}

/** A file or cached content as it was last shown to its caller, under the names of Headgate. */
export interface ShownDetail {
  readonly type: 'message-file' | 'gemini-file' | 'cached-content'
  readonly shown: JsonObject
  /** The address at the provider, where requests refer to the object by address. */
  readonly uri: string | undefined
}

/** An upload that a caller sends in parts. */
export interface UploadDetail {
  readonly type: 'gemini-upload'
  /** The path and query of the provider's upload session, on the host of the channel. */
  readonly sessionPath: string
}

export type ObjectDetail = FileDetail | BatchDetail | MessageBatchDetail | ShownDetail | UploadDetail

/** An object that a provider stores for one of our keys. The provider's own ID is never shown to callers. */
export interface RemoteObject {
  readonly keyId: KeyId
  /** The ID that callers use. */
  readonly id: string
  readonly channelName: string
  readonly credentialId: string | undefined
  /** The model that the object belongs to; empty if it belongs to no model. */
  readonly publicName: string
  readonly upstreamModel: string
  readonly providerId: string
  /** Milliseconds since 1970, as is `expiresAtMs`. */
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** The time of the next poll of a batch. Undefined once the batch is over and billed, and for all other objects. */
  readonly pollAtMs: number | undefined
  readonly detail: ObjectDetail
}

export interface RemoteObjectPage {
  readonly type: ObjectDetail['type']
  /** The last ID of the previous page. */
  readonly after: string | undefined
  readonly limit: number
  readonly isAscending: boolean
}

/**
 * Stores which key owns which object, across restarts. An ID alone gives no access: each object is found by its key
 * and its ID.
 */
export interface RemoteObjectStore {
  find(keyId: KeyId, id: string): Promise<RemoteObject | undefined>
  /** Finds an object by the provider's id, among those of one key on one channel. */
  findRemote(keyId: KeyId, channelName: string, providerId: string): Promise<RemoteObject | undefined>
  /** Returns the given provider IDs that are stored, for any key. */
  findStored(providerIds: readonly string[]): Promise<readonly string[]>
  list(keyId: KeyId, page: RemoteObjectPage): Promise<readonly RemoteObject[]>
  /** Stores an object. If another request has stored an object under the same provider ID, that one does not change. */
  add(object: RemoteObject): Promise<void>
  /** Changes the poll time, the expiry and the detail of a stored object. */
  update(object: RemoteObject): Promise<void>
  delete(keyId: KeyId, id: string): Promise<void>
  /** Finds the batches that are due to be polled, the longest overdue first. */
  findDue(nowMs: number, limit: number): Promise<readonly RemoteObject[]>
  /** Deletes objects that have expired or belong to revoked keys, except batches that are not billed yet. */
  prune(nowMs: number): Promise<void>
}
