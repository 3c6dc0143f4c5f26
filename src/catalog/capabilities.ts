/**
 * What an operator may state of one model, where it differs from what the provider declares for its name. The names
 * are those of `wire/dialect.ts`, so that a statement replaces the declaration field by field.
 */
export interface Capabilities {
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  readonly systemRole?: 'system' | 'developer'
  readonly textParts?: boolean
  readonly cacheMarks?: boolean
  readonly reasoning?: 'none' | 'effort'
  readonly reasoningReplay?: 'none' | 'reasoning_content' | 'reasoning' | 'reasoning_details'
  readonly streamUsageOption?: boolean
  readonly parallelToolCalls?: boolean
  readonly jsonSchema?: boolean
  readonly defaultMaxTokens?: number
  /** Whether the channel answers plain prompts itself (`POST /completions`), instead of by translation. */
  readonly completions?: boolean
  /** Inputs that one embeddings call may hold. */
  readonly maxEmbeddingInputs?: number
}
