import type { MediaKind } from '../canonical/media.ts'
import type { Effort } from '../canonical/request.ts'

export const reasoningKinds = ['none', 'effort', 'thinking', 'adaptive_thinking', 'enable_thinking'] as const

export const replayFields = [
  'none',
  'reasoning_content',
  'reasoning',
  'reasoning_details',
  'thinking_parts',
] as const

export const toolChoiceKinds = ['all', 'words', 'unforced-thinking', 'auto'] as const

/** Fields of a request that can be left out for a server that refuses or ignores them. */
export const refusableFields = [
  'temperature',
  'top_p',
  'presence_penalty',
  'frequency_penalty',
  'seed',
  'stop',
  'n',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'user',
  'service_tier',
  'verbosity',
] as const

/**
 * The capabilities of one model that an operator may state, where they differ from the provider's declaration for the
 * model's name. The names are those of `wire/dialect.ts`, so that a statement replaces the declaration field by field.
 */
export interface Capabilities {
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  readonly systemRole?: 'system' | 'developer'
  readonly textParts?: boolean
  readonly mediaAddresses?: readonly MediaKind[]
  readonly cacheMarks?: boolean
  readonly reasoning?: (typeof reasoningKinds)[number]
  /** Whether the model reasons without being asked, and so may be silent for long. */
  readonly reasons?: boolean
  readonly efforts?: readonly Effort[]
  readonly reasoningReplay?: (typeof replayFields)[number]
  readonly streamUsageOption?: boolean
  readonly acceptsParallelToolCalls?: boolean
  readonly jsonSchema?: boolean
  readonly toolChoices?: (typeof toolChoiceKinds)[number]
  readonly acceptsTopK?: boolean
  readonly refusedFields?: readonly (typeof refusableFields)[number][]
  readonly defaultMaxTokens?: number
  readonly maxOutputTokens?: number
  /** Whether the channel serves plain prompts itself (`POST /completions`), not by translation. */
  readonly completions?: boolean
  /** The limit of inputs in one embeddings call. */
  readonly maxEmbeddingInputs?: number
  /** The tokens that the model can read and write in one request. */
  readonly contextWindowTokens?: number
}
