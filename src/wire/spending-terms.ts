import type { ServedTier } from '../canonical/served-tier.ts'

/**
 * The cost terms of a request, as far as its body says. A field with a value that its format forbids is read so that it
 * allows the most, since another reader may take it; to refuse it is the upstream's matter.
 */
export interface SpendingTerms {
  /** The most tokens of one answer, reasoning included; undefined where the request sets no limit that is certain. */
  readonly maxOutputTokens: number | undefined
  /** Whether the format has a field by which the output can be capped. */
  readonly canBeCapped: boolean
  /** Answers that are generated and billed, those of several prompts together. */
  readonly choices: number
  /** The most of the output that may be reasoning, where the request says it. */
  readonly thinkingBudget: number | undefined
  /**
   * Every tier at which the answer may be served. `auto` is the one that the account is set to, else the standard one.
   */
  readonly serviceTiers: readonly ServedTier[]
  /** Whether spoken output is asked for, which has a price of its own. */
  readonly asksForAudio: boolean
  /** Whether the answer is made after the request has ended, so that the request does not see its usage. */
  readonly isBackground: boolean
  /** The most calls of the provider's tools, all of them together, where the request sets a limit. */
  readonly toolCallCap: number | undefined
  /** Tools that the provider runs: it may bill each call, and bills what they find as input. */
  billedTools(): readonly BilledTool[]
  /** Whether the body holds or names an image, a file, sound or video. The body is searched when it is first asked. */
  hasMedia(): boolean
  /** Whether the input is more than the body: an earlier response, a stored prompt, a cached text, a container. */
  hasStoredInput(): boolean
  /**
   * The most tokens of the files that the request holds, where that is known: the input is then no more than these and
   * the texts. Absent where files may be anything.
   */
  mediaTokens?(): number
  /** Bytes of the body that the model reads again, as a query that it reads with each document; absent without any. */
  repeatedBytes?(): number
  /** The longest time for which the caller asks to cache; caching that the provider does unasked needs no mark. */
  cacheMarks(): CacheMarks
}

export interface BilledTool {
  /**
   * The tool's name as `Usage.toolCalls` has it where calls are counted there, else the provider's own name without its
   * version.
   */
  readonly name: string
  /** The most calls of it, where the request sets a limit. */
  readonly maxCalls: number | undefined
}

/** `short`: 5 minutes, or a time that is not stated; `long`: an hour. */
export type CacheMarks = 'none' | 'short' | 'long'

/** The terms of an operation that generates nothing: only its input is billed, if that. */
export const termsWithoutOutput: SpendingTerms = {
  maxOutputTokens: 0,
  canBeCapped: false,
  choices: 1,
  thinkingBudget: undefined,
  serviceTiers: ['standard'],
  asksForAudio: false,
  isBackground: false,
  toolCallCap: undefined,
  billedTools: () => [],
  hasMedia: () => false,
  hasStoredInput: () => false,
  cacheMarks: () => 'none',
}
