import { type NanoDollars, PPM } from '../../canonical/money.ts'
import type { BilledTokens, Usage } from '../../canonical/usage.ts'
import { brand } from '../../kit/brand.ts'
import { findSheet } from './find-sheet.ts'
import type { PriceRates, PriceVersion, RateClass, ServedTerms } from './price.ts'
import { sumCost, type Term } from './sum-cost.ts'

/**
 * The cost that the provider asks for an answer. The input's whole length chooses the rates, and all of the request is
 * billed at them; the terms are summed exactly, and the sum is rounded up once.
 */
export function costOf(usage: Usage, version: PriceVersion, served: ServedTerms): NanoDollars {
  const counts = countByClass(usage)
  const { rates } = findSheet(version, { ...served, inputTokens: counts.inputTokens })
  const tokens: Term[] = []
  for (const [rateClass, count] of counts.terms) if (count > 0) tokens.push([count, rateOf(rates, rateClass)])
  const calls: Term[] = []
  for (const name in usage.toolCalls) {
    const count = boundCount(usage.toolCalls[name] ?? 0)
    calls.push([billedCalls(version, name, count), priceOfTool(version, name)])
  }
  return sumCost({ tokens, tokensPpm: regionPpmOf(version, served.region), calls })
}

/** A tool that is billed by answer counts once. */
export function billedCalls({ toolsByAnswer = [] }: PriceVersion, name: string, count: number): number {
  return toolsByAnswer.includes(billedTool(name)) ? Math.min(count, 1) : count
}

/** The price of a million calls; the name comes from an answer and may be that of any member of an object. */
export function priceOfTool({ toolCalls }: PriceVersion, name: string): NanoDollars {
  const billed = billedTool(name)
  return (Object.hasOwn(toolCalls, billed) ? toolCalls[billed] : undefined) ?? brand<NanoDollars>(0)
}

/** Providers' names for the calls that their answers count, where a price list has another one. */
const billedNames: Readonly<Record<string, string>> = {
  // Anthropic, and what speaks its format.
  web_search_requests: 'web_search',
  // Perplexity's name.
  num_search_queries: 'web_search',
  // The name at xAI.
  web_search_calls: 'web_search',
  x_search_calls: 'x_search',
  code_interpreter_calls: 'code_interpreter',
  // Google, by the names of its tools in a request.
  googleSearch: 'web_search',
  googleSearchRetrieval: 'web_search',
  enterpriseWebSearch: 'web_search',
  googleMaps: 'google_maps',
}

/** The name that a price has for a tool of the provider, such as `web_search`. */
function billedTool(name: string): string {
  return Object.hasOwn(billedNames, name) ? (billedNames[name] ?? name) : name
}

/** Numbers of an answer are foreign: none may credit a caller or bill more than a model can read. */
const MAX_TOKENS = 100_000_000

function boundCount(count: number): number {
  if (Number.isNaN(count)) return 0
  return Math.min(Math.max(Math.ceil(count), 0), MAX_TOKENS)
}

/**
 * Counts that do not overlap: what is a part of two classes, such as audio in a cache, is billed once, in the narrower
 * one.
 */
function countByClass(usage: Usage) {
  const fresh = boundCount(usage.freshInputTokens)
  const cacheRead = boundCount(usage.cacheReadTokens)
  const cacheWrite = boundCount(usage.cacheWriteShortTokens)
  const cacheWriteLong = boundCount(usage.cacheWriteLongTokens)
  const output = boundCount(usage.outputTokens)
  const cached = split(cacheRead, [usage.cacheReadAudioTokens])
  const freshAudio = boundCount(usage.inputAudioTokens) - (cached.parts[0] ?? 0)
  const inputParts = split(fresh, [freshAudio, usage.inputImageTokens])
  const outputParts = split(output, [usage.reasoningTokens, usage.outputAudioTokens, usage.outputImageTokens])
  const terms: readonly (readonly [RateClass, number])[] = [
    ['input', inputParts.rest],
    ['inputAudio', inputParts.parts[0] ?? 0],
    ['inputImage', inputParts.parts[1] ?? 0],
    ['cacheRead', cached.rest],
    ['cacheReadAudio', cached.parts[0] ?? 0],
    ['cacheWrite', cacheWrite],
    ['cacheWriteLong', cacheWriteLong],
    ['output', outputParts.rest],
    ['reasoning', outputParts.parts[0] ?? 0],
    ['outputAudio', outputParts.parts[1] ?? 0],
    ['outputImage', outputParts.parts[2] ?? 0],
  ]
  const inputTokens = fresh + cacheRead + cacheWrite + cacheWriteLong
  return { inputTokens, terms: usage.billed === undefined ? terms : termsOfBilled(usage.billed) }
}

function termsOfBilled({ input, output }: BilledTokens): readonly (readonly [RateClass, number])[] {
  return [
    ['input', boundCount(input)],
    ['output', boundCount(output)],
  ]
}

/** Each part takes what it names of what is left. */
function split(whole: number, named: readonly number[]): { readonly parts: readonly number[]; rest: number } {
  let rest = whole
  const parts = named.map((count) => {
    const part = Math.min(boundCount(count), rest)
    rest -= part
    return part
  })
  return { parts, rest }
}

/** The rate of a class, or else of the class that it belongs to. */
export function rateOf(rates: PriceRates, rateClass: RateClass): NanoDollars {
  const stated = rates[rateClass]
  if (stated !== undefined) return stated
  switch (rateClass) {
    case 'cacheReadAudio':
      return rates.cacheRead ?? rates.inputAudio ?? rates.input
    case 'cacheWriteLong':
      return rates.cacheWrite ?? rates.input
    case 'reasoning':
    case 'outputAudio':
    case 'outputImage':
      return rates.output
    default:
      return rates.input
  }
}

/** The name of the region is an answer's, too. */
function regionPpmOf({ regionPpm = {} }: PriceVersion, region: string | undefined): number {
  return (region !== undefined && Object.hasOwn(regionPpm, region) ? regionPpm[region] : undefined) ?? PPM
}
