import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { ResponseOwner } from '../../stored-answers/stored-response.ts'
import type { ItemGroup } from './stored-conversation.ts'

/** The earlier answers that a request refers to. */
export type PriorState =
  /** Nothing that this key was answered here; only a channel that the operator opened for it may know. */
  | { readonly type: 'unknown'; readonly refusal: PriorRefusal }
  /** Not all of the content is stored here, and no one provider stores everything: no channel can answer. */
  | { readonly type: 'unavailable'; readonly refusal: PriorRefusal }
  /** Not all of the content is stored here: only the owner can answer. */
  | (ContinuedState & {
      readonly type: 'owner-only'
      readonly owner: PriorOwner
      /** The error where the owner cannot be asked. */
      readonly refusal: PriorRefusal
    })
  /** All of the content is stored here: any channel can be given the whole conversation. */
  | (ContinuedState & {
      readonly type: 'restorable'
      /** Undefined where no one provider stores everything. */
      readonly owner: PriorOwner | undefined
      /** The items before this request's own input. */
      readonly before: readonly ItemGroup[]
      /** This request's own input, references replaced by their items. */
      readonly own: readonly ItemGroup[]
    })

/** The part of what came before that the answer is stored with. */
interface ContinuedState {
  /** The responses gone on from, the latest first. */
  readonly chain: readonly string[]
  /**
   * The input that is stored instead of the body's: its references replaced by their items. Undefined where it has no
   * references, or the content of one is not stored here.
   */
  readonly resolvedInput: readonly ItemGroup[] | undefined
}

/** The one provider that stores all that a request refers to. */
export interface PriorOwner {
  /** The channel and credential. */
  readonly account: Pick<ResponseOwner, 'channelName' | 'credentialId'>
  /** The ID under which the provider knows the previous response; undefined where the request names none. */
  readonly upstreamPreviousId: string | undefined
}

/** The refusal where something that the request refers to is not available. */
export interface PriorRefusal {
  readonly code: 'previous_response_not_found' | 'item_not_found'
  readonly param: string
  readonly message: string
}

/** The body as a target takes it that knows nothing of what was before. */
export function restoreBody(body: JsonObject, items: readonly JsonValue[]): JsonObject {
  return { ...body, input: items, previous_response_id: undefined, store: undefined }
}
