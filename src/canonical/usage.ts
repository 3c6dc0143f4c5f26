/**
 * The usage of one answer in disjoint classes of whole numbers (tokens unless named otherwise). Input = fresh + cache
 * reads + cache writes. Reasoning, audio and predictions are parts of the class in their name.
 */
export interface Usage {
  /** Input that was neither read from a prompt cache nor written to one. */
  readonly freshInputTokens: number
  readonly cacheReadTokens: number
  /** Input written to a cache that lives 5 minutes, or for a time that the provider does not state. */
  readonly cacheWriteShortTokens: number
  /** Input written to a cache that lives an hour. */
  readonly cacheWriteLongTokens: number
  /** All output, including reasoning. */
  readonly outputTokens: number
  /** Part of `outputTokens`. */
  readonly reasoningTokens: number
  /** Part of the input, like the next number. */
  readonly inputAudioTokens: number
  readonly inputImageTokens: number
  /** Part of `inputAudioTokens` that was read from the cache. */
  readonly cacheReadAudioTokens: number
  /** Part of `outputTokens`, like the next three numbers. */
  readonly outputAudioTokens: number
  readonly outputImageTokens: number
  readonly acceptedPredictionTokens: number
  readonly rejectedPredictionTokens: number
  /**
   * Calls of tools that the provider runs and bills, by their names in prices, such as `web_search`. A format's
   * reader maps its counters to these names.
   */
  readonly toolCalls: Readonly<Record<string, number>>
  /** The billed input and output, where the provider bills less than the model read and wrote. */
  readonly billed?: BilledTokens
  /** Set where the answer was made faster at another price, whatever its service tier. */
  readonly speed?: 'fast'
  /**
   * The region that computed the answer, such as `us`, where the provider states it. Some regions have other prices.
   */
  readonly region?: string
  /** True where the gateway counted a number itself, or where a number is only a lower bound. */
  readonly isEstimated: boolean
}

/**
 * The limit of a count in an answer. The counts of an answer are not trusted: they must not credit a caller, nor bill
 * more than a model can read, nor make sums that no store can hold.
 */
const MAX_COUNT = 100_000_000

/** Returns the nearest count that an answer may have. A fraction is rounded up; `NaN` is 0. */
export function boundCount(count: number): number {
  if (Number.isNaN(count)) return 0
  return Math.min(Math.max(Math.ceil(count), 0), MAX_COUNT)
}

export interface BilledTokens {
  readonly input: number
  readonly output: number
}

export const noUsage: Usage = {
  freshInputTokens: 0,
  cacheReadTokens: 0,
  cacheWriteShortTokens: 0,
  cacheWriteLongTokens: 0,
  outputTokens: 0,
  reasoningTokens: 0,
  inputAudioTokens: 0,
  inputImageTokens: 0,
  cacheReadAudioTokens: 0,
  outputAudioTokens: 0,
  outputImageTokens: 0,
  acceptedPredictionTokens: 0,
  rejectedPredictionTokens: 0,
  toolCalls: {},
  isEstimated: false,
}

export function inputTokensOf(usage: Usage): number {
  return (
    usage.freshInputTokens + usage.cacheReadTokens + usage.cacheWriteShortTokens + usage.cacheWriteLongTokens
  )
}

/** Whether usage counts tokens or units. Some servers state only zeros. */
export function countsSomething(usage: Usage | undefined): usage is Usage {
  if (usage === undefined) return false
  return inputTokensOf(usage) + usage.outputTokens > 0 || Object.keys(usage.toolCalls).length > 0
}

/** Adds the usage of two answers. */
export function addUsage(left: Usage, right: Usage): Usage {
  const speed = left.speed ?? right.speed
  const region = left.region ?? right.region
  const billed = addBilled(left, right)
  const toolCalls = { ...left.toolCalls }
  for (const [name, count] of Object.entries(right.toolCalls))
    toolCalls[name] = (toolCalls[name] ?? 0) + count
  return {
    freshInputTokens: left.freshInputTokens + right.freshInputTokens,
    cacheReadTokens: left.cacheReadTokens + right.cacheReadTokens,
    cacheWriteShortTokens: left.cacheWriteShortTokens + right.cacheWriteShortTokens,
    cacheWriteLongTokens: left.cacheWriteLongTokens + right.cacheWriteLongTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
    inputAudioTokens: left.inputAudioTokens + right.inputAudioTokens,
    inputImageTokens: left.inputImageTokens + right.inputImageTokens,
    cacheReadAudioTokens: left.cacheReadAudioTokens + right.cacheReadAudioTokens,
    outputAudioTokens: left.outputAudioTokens + right.outputAudioTokens,
    outputImageTokens: left.outputImageTokens + right.outputImageTokens,
    acceptedPredictionTokens: left.acceptedPredictionTokens + right.acceptedPredictionTokens,
    rejectedPredictionTokens: left.rejectedPredictionTokens + right.rejectedPredictionTokens,
    toolCalls,
    ...(billed !== undefined && { billed }),
    ...(speed !== undefined && { speed }),
    ...(region !== undefined && { region }),
    isEstimated: left.isEstimated || right.isEstimated,
  }
}

/** Subtracts one usage from another. Each number may be below zero. */
export function subtractUsage(left: Usage, right: Usage): Usage {
  const toolCalls: Record<string, number> = {}
  for (const name of new Set([...Object.keys(left.toolCalls), ...Object.keys(right.toolCalls)])) {
    const difference = (left.toolCalls[name] ?? 0) - (right.toolCalls[name] ?? 0)
    if (difference !== 0) toolCalls[name] = difference
  }
  return {
    freshInputTokens: left.freshInputTokens - right.freshInputTokens,
    cacheReadTokens: left.cacheReadTokens - right.cacheReadTokens,
    cacheWriteShortTokens: left.cacheWriteShortTokens - right.cacheWriteShortTokens,
    cacheWriteLongTokens: left.cacheWriteLongTokens - right.cacheWriteLongTokens,
    outputTokens: left.outputTokens - right.outputTokens,
    reasoningTokens: left.reasoningTokens - right.reasoningTokens,
    inputAudioTokens: left.inputAudioTokens - right.inputAudioTokens,
    inputImageTokens: left.inputImageTokens - right.inputImageTokens,
    cacheReadAudioTokens: left.cacheReadAudioTokens - right.cacheReadAudioTokens,
    outputAudioTokens: left.outputAudioTokens - right.outputAudioTokens,
    outputImageTokens: left.outputImageTokens - right.outputImageTokens,
    acceptedPredictionTokens: left.acceptedPredictionTokens - right.acceptedPredictionTokens,
    rejectedPredictionTokens: left.rejectedPredictionTokens - right.rejectedPredictionTokens,
    toolCalls,
    isEstimated: left.isEstimated,
  }
}

function addBilled(left: Usage, right: Usage): BilledTokens | undefined {
  if (left.billed === undefined && right.billed === undefined) return undefined
  const [one, other] = [billedOf(left), billedOf(right)]
  return { input: one.input + other.input, output: one.output + other.output }
}

function billedOf(usage: Usage): BilledTokens {
  return usage.billed ?? { input: inputTokensOf(usage), output: usage.outputTokens }
}

/** The bytes of a request for one token of its input, where no vocabulary can tell. */
const BYTES_A_TOKEN = 4

/** Estimates the tokens of a request of this many bytes. */
export function tokensOfBytes(bytes: number): number {
  return Math.ceil(bytes / BYTES_A_TOKEN)
}
