import type { KeyId } from '../access/key.ts'
import type { EstimatedCharge } from '../canonical/estimated-charge.ts'

/** The channel and credential of the provider that stores a response under its own ID. */
export interface ResponseOwner {
  readonly channelName: string
  readonly credentialId: string | undefined
  /** The public name of the target: the requested model, or a fallback. */
  readonly publicName: string
  readonly upstreamModel: string
  /** The provider's own id. */
  readonly providerId: string
}

/** The reason why a response's content is not stored: storage is off, it was too large, or it never ended. */
export type AbsentReason = 'off' | 'too-large' | 'unfinished'

export type ResponseContent =
  | {
      readonly type: 'present'
      /** JSON: the groups of items that this request added to the response before it. */
      readonly input: string
      /** JSON: the response as its caller saw it. */
      readonly response: string
    }
  | { readonly type: 'absent'; readonly reason: AbsentReason }

/** A response that its key may read, delete and continue from. */
export interface StoredResponse {
  readonly keyId: KeyId
  /** The ID that the caller uses. */
  readonly id: string
  /** The previous response that it continues from; undefined where its input holds the whole conversation. */
  readonly previousId: string | undefined
  /** The number of responses before this one in the conversation. */
  readonly links: number
  /** The public name that was requested. */
  readonly askedName: string
  /** Milliseconds since 1970. */
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Undefined where no provider stores the response. */
  readonly owner: ResponseOwner | undefined
  /** The terms that correct the cost of the response; absent if the response was over when its request ended. */
  readonly charge?: EstimatedCharge | undefined
  /** IDs by which callers refer to single items of the output. */
  readonly itemIds: readonly string[]
  readonly content: ResponseContent
}

/** The form of providers' IDs, which may be part of a path. */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,128}$/

export function isStoredId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}
