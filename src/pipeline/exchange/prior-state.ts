import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { ResponseOwner } from '../../stored-answers/stored-response.ts'
import type { ItemGroup } from './stored-conversation.ts'

/** The earlier answers to which a request refers. */
export type PriorState =
  /**
   * The gateway gave this key no such answer. Only a channel that the operator opened for such requests may know it.
   */
  | { readonly type: 'unknown'; readonly refusal: PriorRefusal }
  /** Some of the content is not stored here, and no single provider stores all of it. No channel can answer. */
  | { readonly type: 'unavailable'; readonly refusal: PriorRefusal }
  /** Some of the content is not stored here. Only the owner can answer. */
  | (ContinuedState & {
      readonly type: 'owner-only'
      readonly owner: PriorOwner
      /** The error if the owner cannot be called. */
      readonly refusal: PriorRefusal
    })
  /** All of the content is stored here. Any channel can be sent the whole conversation. */
  | (ContinuedState & {
      readonly type: 'restorable'
      /** Undefined where no single provider stores all of the content. */
      readonly owner: PriorOwner | undefined
      /** The items before this request's own input. */
      readonly before: readonly ItemGroup[]
      /** This request's own input, with references replaced by their items. */
      readonly own: readonly ItemGroup[]
    })

/** The part of the earlier conversation that is stored with the answer. */
interface ContinuedState {
  /** The IDs of the responses that the request continues, the latest first. */
  readonly chain: readonly string[]
  /**
   * The input to store instead of the body's input, with references replaced by their items. Undefined where the input
   * has no references, or where the content of a reference is not stored here.
   */
  readonly resolvedInput: readonly ItemGroup[] | undefined
}

/** The one provider that stores everything to which a request refers. */
export interface PriorOwner {
  /** The channel and credential. */
  readonly account: Pick<ResponseOwner, 'channelName' | 'credentialId'>
  /**
   * The ID by which the provider knows the previous response; undefined where the request names no previous response.
   */
  readonly upstreamPreviousId: string | undefined
}

/** The refusal of a request that refers to something unavailable. */
export interface PriorRefusal {
  readonly code: 'previous_response_not_found' | 'item_not_found'
  readonly param: string
  readonly message: string
}

/** The body for a target that does not know the earlier conversation. */
export function restoreBody(body: JsonObject, items: readonly JsonValue[]): JsonObject {
  return { ...body, input: items, previous_response_id: undefined, store: undefined }
}
