import type { JsonObject, JsonValue } from '../../kit/json/json.ts'
import type { ResponseOwner } from '../../stored-answers/stored-response.ts'
import type { ItemGroup } from './stored-conversation.ts'

/** The earlier answers that a request refers to. */
export type PriorState =
  /** Nothing that this key was answered here; only a channel that the operator opened for it may know. */
  | { readonly type: 'unknown'; readonly refusal: PriorRefusal }
  | {
      readonly type: 'known'
      /** The channel and credential whose provider stores all that is referred to. */
      readonly owner: ResponseOwner | undefined
      /** The ID under which the owner knows the previous response. */
      readonly upstreamPreviousId: string | undefined
      /** The items before this request's own input; undefined where their words are not stored here. */
      readonly before: readonly ItemGroup[] | undefined
      /** This request's own input, references replaced by their items; undefined where one has no words here. */
      readonly own: readonly ItemGroup[] | undefined
      /** Whether `own` is other than what stands in the body. */
      readonly hasReferences: boolean
      /** The responses gone on from, the latest first. */
      readonly chain: readonly string[]
      /** The error where no channel can answer. */
      readonly refusal: PriorRefusal
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
