import type { JsonObject, JsonValue } from '../kit/json/json.ts'
import type { AssistantBlock, CacheMark, SystemBlock, ToolResultBlock, UserBlock } from './content.ts'
import type { Extras, FieldOwner } from './format.ts'

/**
 * One turn of a conversation. Every reader returns the normal form: tool results are only in tool turns, and no two
 * tool turns are neighbors.
 */
export type Turn =
  | {
      readonly role: 'system'
      /** `developer` is the newer name of the same authority in the chat format. */
      readonly authority: 'system' | 'developer'
      readonly name?: string
      readonly content: readonly SystemBlock[]
      readonly extras?: Extras
    }
  | {
      readonly role: 'user'
      readonly name?: string
      readonly content: readonly UserBlock[]
      readonly extras?: Extras
    }
  | {
      readonly role: 'assistant'
      readonly name?: string
      readonly content: readonly AssistantBlock[]
      readonly extras?: Extras
    }
  | { readonly role: 'tool'; readonly results: readonly ToolResultBlock[] }

export type Tool =
  | {
      readonly type: 'function'
      readonly name: string
      readonly description?: string
      /** The JSON Schema of the input. */
      readonly parameters?: JsonObject
      readonly strict?: boolean
      readonly cache?: CacheMark
      readonly extras?: Extras
    }
  | {
      readonly type: 'custom'
      readonly name: string
      readonly description?: string
      readonly grammar?: JsonObject
      readonly extras?: Extras
    }
  /** A tool that the provider defines or runs. Only one format knows it. */
  | { readonly type: 'hosted'; readonly format: FieldOwner; readonly value: JsonObject }

export type ToolChoice =
  | { readonly type: 'auto' }
  | { readonly type: 'none' }
  | { readonly type: 'required' }
  | { readonly type: 'tool'; readonly name: string; readonly kind: 'function' | 'custom' }
  | { readonly type: 'allowed'; readonly mode: 'auto' | 'required'; readonly tools: readonly JsonValue[] }

export const efforts = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const
export type Effort = (typeof efforts)[number]

export interface Reasoning {
  readonly mode?: 'off' | 'on' | 'adaptive' | 'between-tools'
  readonly effort?: Effort
  readonly budgetTokens?: number
  readonly display?: 'summarized' | 'omitted'
}

export type OutputFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json' }
  | {
      readonly type: 'json-schema'
      readonly schema: JsonObject
      readonly name?: string
      readonly description?: string
      readonly strict?: boolean
    }

/** A chat request in the canonical form. An absent field means that the caller did not send it. */
export interface ChatRequest {
  /** The public name that the caller asked for. */
  readonly model: string
  readonly turns: readonly Turn[]
  readonly stream: boolean
  readonly tools?: readonly Tool[]
  readonly toolChoice?: ToolChoice
  readonly parallelToolCalls?: boolean
  readonly maxOutputTokens?: number
  readonly temperature?: number
  readonly topP?: number
  readonly topK?: number
  readonly presencePenalty?: number
  readonly frequencyPenalty?: number
  readonly seed?: number
  readonly stopSequences?: readonly string[]
  readonly choices?: number
  readonly logprobs?: boolean
  readonly topLogprobs?: number
  readonly logitBias?: JsonObject
  readonly outputFormat?: OutputFormat
  readonly reasoning?: Reasoning
  readonly verbosity?: string
  /** Text at the beginning of each choice of the answer. The gateway puts it there. No channel is asked for it. */
  readonly echo?: string
  /** The caller's own user, as an opaque ID. */
  readonly endUser?: string
  readonly serviceTier?: string
  /** A mark on the last block that can hold one. */
  readonly cache?: CacheMark
  readonly extras?: Extras
}
