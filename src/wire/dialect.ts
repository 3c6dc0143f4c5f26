import type { MediaKind } from '../canonical/media.ts'
import type { Effort } from '../canonical/request.ts'
import type { JsonObject } from '../kit/json/json.ts'

/** Top-level fields of the chat format that some servers refuse the request for, or pass over in silence. */
export type RefusableField =
  | 'temperature'
  | 'top_p'
  | 'presence_penalty'
  | 'frequency_penalty'
  | 'seed'
  | 'stop'
  | 'n'
  | 'logprobs'
  | 'top_logprobs'
  | 'logit_bias'
  | 'user'
  | 'service_tier'
  | 'verbosity'

/** A value of the messages format's `thinking.type`. */
export type ThinkingType = 'enabled' | 'disabled' | 'adaptive' | 'between_tools'

/** The abilities of one model of the messages format, where they are known. */
export interface MessagesModel {
  /** The greatest output cap that is not refused. */
  readonly maxOutputTokens: number
  /** Empty where the model cannot think. */
  readonly thinkingTypes: readonly ThinkingType[]
  /** Whether it thinks where the request does not mention thinking. */
  readonly thinksByDefault: boolean
  /** The values that `output_config.effort` takes, ascending; empty where there is no such field. */
  readonly efforts: readonly Effort[]
  /** The parameters of `temperature` and `top_p` that are taken: `one` at a time, `both`, or `none`. */
  readonly sampling: 'none' | 'one' | 'both'
  /** Whether a call of a tool may be demanded. */
  readonly forcedTools: boolean
  /** Whether the last turn may be the beginning of the answer. */
  readonly prefill: boolean
  /** Whether the system may speak between turns. */
  readonly systemMessages: boolean
}

/** The abilities of one model of the Gemini format, where they are known. */
export interface GeminiModel {
  /** Whether thinking is set by level or in tokens; `none` where the model cannot think. */
  readonly thinking: 'none' | 'level' | 'budget'
  /** The values that `thinkingLevel` takes, ascending; empty where it is not taken. */
  readonly levels: readonly Effort[]
  /** The least and the greatest `thinkingBudget`, beside 0 and -1. */
  readonly budget: readonly [number, number]
  /** Whether thinking can be turned off. */
  readonly canDisableThinking: boolean
  /** Whether the first call of each step since the user's last text must be signed. */
  readonly signedCalls: boolean
  /** Whether results of functions may hold images and documents. */
  readonly mediaResults: boolean
}

/** The abilities of one model of the Converse format, which has one form for models of many makers. */
export interface ConverseModel {
  /**
   * The model's own field for reasoning: `thinking` as Claude's, whose `messagesModel` lists what it takes;
   * `reasoning_effort` as a word; `reasoningConfig` as Nova's; `none` where there is no such field.
   */
  readonly reasoning: 'none' | 'thinking' | 'reasoning_effort' | 'reasoningConfig'
  /** The model's own field for `top_k`, or the object that contains it. */
  readonly topK: 'none' | 'top_k' | 'inferenceConfig'
  /** Whether it knows results of searches as such. */
  readonly searchResults: boolean
}

export const plainConverseModel: ConverseModel = { reasoning: 'none', topK: 'none', searchResults: false }

/**
 * The differences of one provider's version of a format from the format's own documentation. Each provider declares its
 * differences; the defaults are what most servers of the format accept.
 */
export interface Dialect {
  /** The chat format's name of the output cap. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** The greatest output cap that is not refused, where it is known; a greater one is lowered to it, declared. */
  readonly maxOutputTokens?: number
  /** The chat format's name of the system's authority. */
  readonly systemRole: 'system' | 'developer'
  /** Whether several text blocks may be separate parts, or must be joined into one string. */
  readonly textParts: boolean
  /** Whether a message may carry the speaker's `name`. */
  readonly participantNames: boolean
  /** `alternating` where users and assistants must take turns after the system prompt. */
  readonly turnOrder: 'any' | 'alternating'
  /**
   * The form in which documents are sent: `file` with their bytes alone, `file-or-url` with bytes or an address,
   * `document_url` as Mistral's part of that name with either.
   */
  readonly documents: 'file' | 'file-or-url' | 'document_url'
  /**
   * The kinds of media that the server fetches itself where it gets an address; the bytes of all others must be sent.
   */
  readonly mediaAddresses: readonly MediaKind[]
  /** Whether parts and tools may carry `cache_control`. */
  readonly cacheMarks: boolean
  /**
   * The form in which reasoning is asked for: `effort` as `reasoning_effort`; `thinking` and `adaptive_thinking` as a
   * switch `thinking.type`, which is `enabled` or `adaptive` when on; `enable_thinking` as a switch of that name beside
   * `thinking_budget`; `none` where the model takes no such field.
   */
  readonly reasoning: 'none' | 'effort' | 'thinking' | 'adaptive_thinking' | 'enable_thinking'
  /**
   * The values that `reasoning_effort` takes, where it is sent at all, alone or beside a switch; the nearest is sent.
   */
  readonly efforts: readonly Effort[]
  /** `none` where the model takes tools only with `reasoning_effort: "none"`, however much reasoning was asked for. */
  readonly reasoningWithTools: 'effort' | 'none'
  /**
   * The field in which reasoning is sent back in earlier turns, `thinking_parts` being parts of the content; `none`
   * drops it, declared. Only `reasoning_details` (a list of entries) carries signatures and encrypted reasoning.
   */
  readonly reasoningReplay:
    | 'none'
    | 'reasoning_content'
    | 'reasoning'
    | 'reasoning_details'
    | 'thinking_parts'
  /** The reasoning to send for an assistant's turn without any, where the server requires some. */
  readonly missingReasoning?: string
  /** Whether `stream_options.include_usage` is understood. */
  readonly streamUsageOption: boolean
  /** Whether functions can be offered at all; without them, earlier results of tools become text of the user. */
  readonly tools: boolean
  /** Whether a tool may take free text; else it is a function with one text, declared. */
  readonly customTools: boolean
  /** Whether a function may carry `strict`. */
  readonly toolStrict: boolean
  /**
   * The tool choices that are understood: `words` means all but a named tool; `unforced-thinking` none that forces a
   * call while the model thinks; `auto` no other than that.
   */
  readonly toolChoices: 'all' | 'words' | 'unforced-thinking' | 'auto'
  /** The choice that forces a call of any tool. */
  readonly forcedToolWord: 'required' | 'any'
  /** `nine-characters` where ids of calls must be exactly nine letters or digits. */
  readonly toolCallIds: 'any' | 'nine-characters'
  readonly acceptsParallelToolCalls: boolean
  /** Whether JSON without a schema can be asked for. */
  readonly jsonObject: boolean
  /** Whether a JSON schema can be asked for. */
  readonly jsonSchema: boolean
  readonly acceptsTopK: boolean
  readonly seedField: 'seed' | 'random_seed'
  /** The fields that are left out of what is written, which is declared. */
  readonly refusedFields: readonly RefusableField[]
  /** The same while the model reasons. */
  readonly refusedWhileReasoning: readonly RefusableField[]
  /** Whether it reasons where the request does not mention reasoning. */
  readonly reasonsByDefault: boolean
  /** The most stop sequences, where it is known; only the first ones are sent, which is declared. */
  readonly maxStopSequences?: number
  /** Fields that every written request has, such as one that keeps reasoning apart from the answer. */
  readonly fixedFields?: JsonObject
  /** The output cap that is sent where the format demands one and the caller gave none. */
  readonly defaultMaxTokens: number
  /** The model's abilities in the messages format, where they are known. */
  readonly messagesModel?: MessagesModel
  /** The same of the Converse format. */
  readonly converseModel?: ConverseModel
  /** The model's abilities in the Gemini format, where they are known. */
  readonly geminiModel?: GeminiModel
}

export const defaultDialect: Dialect = {
  maxTokensField: 'max_tokens',
  systemRole: 'system',
  textParts: true,
  participantNames: true,
  turnOrder: 'any',
  documents: 'file',
  mediaAddresses: ['image', 'document', 'video'],
  cacheMarks: false,
  reasoning: 'none',
  efforts: ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'],
  reasoningWithTools: 'effort',
  reasoningReplay: 'none',
  streamUsageOption: true,
  tools: true,
  customTools: false,
  toolStrict: true,
  toolChoices: 'all',
  forcedToolWord: 'required',
  toolCallIds: 'any',
  acceptsParallelToolCalls: true,
  jsonObject: true,
  jsonSchema: true,
  acceptsTopK: false,
  seedField: 'seed',
  refusedFields: [],
  refusedWhileReasoning: [],
  reasonsByDefault: false,
  defaultMaxTokens: 8192,
}
