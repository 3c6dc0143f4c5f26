import type { ServedTier } from '../canonical/served-tier.ts'

/**
 * The terms of a request that decide its cost, as far as its body states them. A field whose value the format forbids
 * is read as the most expensive meaning, since the upstream may accept it. Rejecting such a value is the upstream's
 * job.
 */
export interface SpendingTerms {
  /** The maximum tokens of one answer, reasoning included; undefined where the request sets no reliable limit. */
  readonly maxOutputTokens: number | undefined
  /** Whether the format has a field that caps the output. */
  readonly canBeCapped: boolean
  /** The number of answers that are generated and billed. For several prompts, the sum of their answers. */
  readonly choices: number
  /**
   * Every tier at which the answer may be served. `auto` is the tier that the account is set to, else the standard one.
   */
  readonly serviceTiers: readonly ServedTier[]
  /** Whether the caller asks for audio output, which has its own price. */
  readonly asksForAudio: boolean
  /** The maximum number of calls of the provider's tools together, where the request sets a limit. */
  readonly toolCallCap: number | undefined
  /** Tools that the provider runs. The provider may bill each call, and bills the tools' results as input. */
  billedTools(): readonly BilledTool[]
  /**
   * Whether the body contains or references an image, a file, audio or video. The body is searched at the first call.
   */
  hasMedia(): boolean
  /** Whether the input is more than the body: a stored response, a stored prompt, cached text, a container. */
  hasStoredInput(): boolean
  /**
   * The maximum number of tokens of the request's files, where it is known. The input is then at most these tokens and
   * the texts. Absent where the size of files is unknown.
   */
  mediaTokens?(): number
  /**
   * Bytes of the body that the model reads more than once, such as a query that is read with each document. Absent
   * where there are none.
   */
  repeatedBytes?(): number
  /** The longest cache duration that the caller asks for. Caching that the provider does by default needs no mark. */
  cacheMarks(): CacheMarks
}

export interface BilledTool {
  /**
   * The tool's name in `Usage.toolCalls` where its calls are counted there, else the provider's own name without its
   * version.
   */
  readonly name: string
  /** The maximum number of calls of this tool, where the request sets a limit. */
  readonly maxCalls: number | undefined
}

/** `short`: 5 minutes, or a duration that is not stated; `long`: an hour. */
export type CacheMarks = 'none' | 'short' | 'long'

/** The terms of an operation that generates nothing. At most its input is billed. */
export const termsWithoutOutput: SpendingTerms = {
  maxOutputTokens: 0,
  canBeCapped: false,
  choices: 1,
  serviceTiers: ['standard'],
  asksForAudio: false,
  toolCallCap: undefined,
  billedTools: () => [],
  hasMedia: () => false,
  hasStoredInput: () => false,
  cacheMarks: () => 'none',
}
