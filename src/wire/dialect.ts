/**
 * How one provider's version of a format differs from the format's own documentation. Each provider declares its
 * differences; the defaults are what most servers of the format accept.
 */
export interface Dialect {
  /** How the chat format names the output cap. */
  readonly maxTokensField: 'max_tokens' | 'max_completion_tokens'
  /** How the chat format names the system's authority. */
  readonly systemRole: 'system' | 'developer'
  /** Whether several text blocks may stand as parts, or must be joined into one string. */
  readonly textParts: boolean
  /** Whether parts and tools may carry `cache_control`. */
  readonly cacheMarks: boolean
  /** How reasoning is asked for: `effort` as `reasoning_effort`; `none` where the model takes no such field. */
  readonly reasoning: 'none' | 'effort'
  /** `none` where the model takes tools only with `reasoning_effort: "none"`, however much reasoning was asked for. */
  readonly reasoningWithTools: 'effort' | 'none'
  /**
   * Under which field reasoning is sent back in earlier turns; `none` drops it, declared. Only `reasoning_details`
   * (a list of entries) carries signatures and encrypted reasoning.
   */
  readonly reasoningReplay: 'none' | 'reasoning_content' | 'reasoning' | 'reasoning_details'
  /** Whether `stream_options.include_usage` is understood. */
  readonly streamUsageOption: boolean
  /** Whether `parallel_tool_calls` is understood. */
  readonly parallelToolCalls: boolean
  /** Whether a JSON schema can be asked for. */
  readonly jsonSchema: boolean
  /** Sent as the output cap where the format demands one and the caller gave none. */
  readonly defaultMaxTokens: number
}

export const plainDialect: Dialect = {
  maxTokensField: 'max_tokens',
  systemRole: 'system',
  textParts: true,
  cacheMarks: false,
  reasoning: 'none',
  reasoningWithTools: 'effort',
  reasoningReplay: 'none',
  streamUsageOption: true,
  parallelToolCalls: true,
  jsonSchema: true,
  defaultMaxTokens: 8192,
}
