import type { KeyId } from '../access/key.ts'
import type { EstimatedCharge } from '../canonical/estimated-charge.ts'

/** The channel and credential whose provider stores a response under an id of its own. */
export interface ResponseOwner {
  readonly channelName: string
  readonly credentialId: string | undefined
  /** The public name under which its target stands: the one asked for, or a fallback's. */
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

/** A response that its key may read, delete and go on from. */
export interface StoredResponse {
  readonly keyId: KeyId
  /** The id that the caller knows. */
  readonly id: string
  /** The response that it goes on from; undefined where its input holds the whole conversation. */
  readonly previousId: string | undefined
  /** The number of responses before it. */
  readonly links: number
  /** The public name that was asked for. */
  readonly askedName: string
  /** Milliseconds since 1970. */
  readonly createdAtMs: number
  readonly expiresAtMs: number
  /** Undefined where no provider stores it. */
  readonly owner: ResponseOwner | undefined
  /** The terms that correct its cost; absent if the response was over when its request ended. */
  readonly charge?: EstimatedCharge | undefined
  /** Ids under which callers refer to single items of its output. */
  readonly itemIds: readonly string[]
  readonly content: ResponseContent
}

/** Ids as providers make them, which may stand in a path. */
const ID = /^(?!\.{1,2}$)[A-Za-z0-9_.:-]{1,128}$/

export function isStoredId(value: unknown): value is string {
  return typeof value === 'string' && ID.test(value)
}
