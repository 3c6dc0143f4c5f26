import type { MediaKind } from '../canonical/media.ts'
import type { Effort } from '../canonical/request.ts'
import type { JsonObject } from '../kit/json/json.ts'

/** Top-level fields of the chat format that some servers reject or silently ignore. */
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

/** The capabilities of one model of the messages format, where they are known. */
export interface MessagesModel {
  /** The largest output cap that the provider accepts. */
  readonly maxOutputTokens: number
  /** Empty where the model cannot think. */
  readonly thinkingTypes: readonly ThinkingType[]
  /** Whether the model thinks when the request does not mention thinking. */
  readonly thinksByDefault: boolean
  /** The values that `output_config.effort` accepts, ascending; empty where there is no such field. */
  readonly efforts: readonly Effort[]
  /** The sampling parameters that are accepted of `temperature` and `top_p`: `one` at a time, `both`, or `none`. */
  readonly sampling: 'none' | 'one' | 'both'
  /** Whether a tool call can be forced. */
  readonly forcedTools: boolean
  /** Whether the last turn may be the beginning of the answer (a prefill). */
  readonly prefill: boolean
  /** Whether system messages may appear between turns. */
  readonly systemMessages: boolean
}

/** The capabilities of one model of the Gemini format, where they are known. */
export interface GeminiModel {
  /** Whether thinking is set by level or in tokens; `none` where the model cannot think. */
  readonly thinking: 'none' | 'level' | 'budget'
  /** The values that `thinkingLevel` accepts, ascending; empty where the field is not accepted. */
  readonly levels: readonly Effort[]
  /** The smallest and the largest `thinkingBudget`, besides 0 and -1. */
  readonly budget: readonly [number, number]
  /** Whether thinking can be turned off. */
  readonly canDisableThinking: boolean
  /** Whether the first call of each step since the user's last text must be signed. */
  readonly signedCalls: boolean
  /** Whether function results may contain images and documents. */
  readonly mediaResults: boolean
  /** Whether the answer can be held to JSON in a request that offers tools. */
  readonly jsonWithTools: boolean
  /** Whether penalties other than 0 are accepted. */
  readonly penalties: boolean
  /** Whether log probabilities are given. Other models refuse a request for them. */
  readonly logprobs: boolean
}

/** The capabilities of one model of the Converse format, which serves models of many makers. */
export interface ConverseModel {
  /**
   * The model's own field for reasoning: `thinking` is Claude's, and `messagesModel` lists its accepted values;
   * `reasoning_effort` holds a word; `reasoningConfig` is Nova's; `none` where there is no such field.
   */
  readonly reasoning: 'none' | 'thinking' | 'reasoning_effort' | 'reasoningConfig'
  /** The model's own field for `top_k`, or the object that contains it. */
  readonly topK: 'none' | 'top_k' | 'inferenceConfig'
  /** Whether the model accepts search results as blocks of their own. */
  readonly searchResults: boolean
  /** The kinds of blocks that may be in one message with tool results. Absent where all may. */
  readonly besideResults?: readonly ('text' | 'image')[]
  /** Set where the last message must be the user's. */
  readonly endsWithUser?: true
  /** `text` where a cache point may follow only text, and lasts five minutes. Absent where it may follow any block. */
  readonly cachePoints?: 'text'
}

export const plainConverseModel: ConverseModel = { reasoning: 'none', topK: 'none', searchResults: false }

/**
 * The differences between one provider's version of a format and the format's own documentation. Each provider declares
 * its differences. The defaults are what most servers of the format accept.
 */
export interface Dialect {
  /** The chat format's name for the output cap. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /**
   * The largest output cap that the provider accepts, where it is known. A larger cap is lowered to it, and the change
   * is declared.
   */
  readonly maxOutputTokens?: number
  /** The chat format's role name for system messages. */
  readonly systemRole: 'system' | 'developer'
  /** Whether several text blocks may be separate parts; else they must be joined into one string. */
  readonly textParts: boolean
  /** Whether a message may carry the speaker's `name`. */
  readonly participantNames: boolean
  /**
   * `alternating` where user and assistant messages must alternate after the system prompt, and the user speaks last.
   * `reply-after-tools` where neither the user nor the system may speak right after a tool, nor the system after the
   * assistant, nor the assistant last.
   */
  readonly turnOrder: 'any' | 'alternating' | 'reply-after-tools'
  /**
   * The form in which documents are sent: `file` holds only their bytes, `file-or-url` holds bytes or a URL,
   * `document_url` is Mistral's part of that name, which holds either.
   */
  readonly documents: 'file' | 'file-or-url' | 'document_url'
  /** The kinds of media that the server can fetch from a URL itself. All other media must be sent as bytes. */
  readonly mediaAddresses: readonly MediaKind[]
  /** Whether parts and tools may carry `cache_control`. */
  readonly cacheMarks: boolean
  /**
   * The form in which reasoning is requested. `effort` sends `reasoning_effort`. `thinking` and `adaptive_thinking`
   * send a switch `thinking.type`, which is `enabled` or `adaptive` when on. `enable_thinking` sends a switch of that
   * name next to `thinking_budget`. `none` where the model accepts no such field.
   */
  readonly reasoning: 'none' | 'effort' | 'thinking' | 'adaptive_thinking' | 'enable_thinking'
  /**
   * The values that `reasoning_effort` accepts, where the field is sent, alone or next to a switch. The nearest
   * accepted value is sent.
   */
  readonly efforts: readonly Effort[]
  /** `none` where the model accepts tools only with `reasoning_effort: "none"`, whatever reasoning was requested. */
  readonly reasoningWithTools: 'effort' | 'none'
  /**
   * The field in which reasoning is sent back in earlier turns. `thinking_parts` are parts of the content; `none` drops
   * reasoning, which is declared. Only `reasoning_details` (a list of entries) carries signatures and encrypted
   * reasoning.
   */
  readonly reasoningReplay:
    | 'none'
    | 'reasoning_content'
    | 'reasoning'
    | 'reasoning_details'
    | 'thinking_parts'
  /** The reasoning to send for an assistant turn that has none, where the server requires some. */
  readonly missingReasoning?: string
  /** Whether the server accepts `stream_options.include_usage`. */
  readonly streamUsageOption: boolean
  /** Whether functions can be offered at all. Without them, earlier tool results become text of the user. */
  readonly tools: boolean
  /** Whether a tool may accept free text; else it is sent as a function with one text parameter, which is declared. */
  readonly customTools: boolean
  /** Whether a function may carry `strict`. */
  readonly toolStrict: boolean
  /** Whether a function without arguments needs a schema of them, too. */
  readonly toolParameters: boolean
  /**
   * The tool choices that the server understands. `words` means all but a named tool; `unforced-thinking` means all,
   * but none that forces a call while the model thinks; `auto` means only `auto`.
   */
  readonly toolChoices: 'all' | 'words' | 'unforced-thinking' | 'auto'
  /** Whether the tool choice may list the allowed tools. Else only those are offered, which is declared. */
  readonly allowedTools: boolean
  /** Whether an earlier refusal of the assistant may be a part of its own. Else it becomes text, which is declared. */
  readonly refusalParts: boolean
  /** The word that forces a call of any tool. */
  readonly forcedToolWord: 'required' | 'any'
  /** `nine-characters` where call IDs must be exactly nine letters or digits. */
  readonly toolCallIds: 'any' | 'nine-characters'
  readonly acceptsParallelToolCalls: boolean
  /** Whether JSON without a schema can be requested. */
  readonly jsonObject: boolean
  /** Whether JSON with a schema can be requested. */
  readonly jsonSchema: boolean
  readonly acceptsTopK: boolean
  readonly seedField: 'seed' | 'random_seed'
  /** The fields that are left out of the written request; each omission is declared. */
  readonly refusedFields: readonly RefusableField[]
  /** The fields that are also left out while the model reasons. */
  readonly refusedWhileReasoning: readonly RefusableField[]
  /** Whether the model reasons when the request does not mention reasoning. */
  readonly reasonsByDefault: boolean
  /** The maximum number of stop sequences, where it is known. Only the first ones are sent, which is declared. */
  readonly maxStopSequences?: number
  /**
   * Fields that the provider's chat completions format and its responses format both have, with one meaning. A request
   * of the one format carries them to the other.
   */
  readonly sharedFields: readonly string[]
  /** Fields that every written request has, such as one that separates reasoning from the answer. */
  readonly fixedFields?: JsonObject
  /** The output cap that is sent where the format requires one and the caller did not set one. */
  readonly defaultMaxTokens: number
  /** The model's capabilities in the messages format, where they are known. */
  readonly messagesModel?: MessagesModel
  /** The model's capabilities in the Converse format, where they are known. */
  readonly converseModel?: ConverseModel
  /** The model's capabilities in the Gemini format, where they are known. */
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
  toolParameters: false,
  toolChoices: 'all',
  allowedTools: false,
  refusalParts: false,
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
  sharedFields: [],
  defaultMaxTokens: 8192,
}
