import { type NanoDollars, PPM } from '../../canonical/money.ts'
import { type BilledTokens, boundCount, type Usage } from '../../canonical/usage.ts'
import { brand } from '../../kit/brand.ts'
import { findSheet } from './find-sheet.ts'
import {
  inputClasses,
  outputClasses,
  type PriceRates,
  type PriceVersion,
  type RateClass,
  type ServedTerms,
} from './price.ts'
import { roundSum, sumCost, type Term } from './sum-cost.ts'

/**
 * Computes the provider's cost of an answer. The length of the whole input chooses the rates, and the whole request is
 * billed at these rates. The terms are summed exactly, and the sum is rounded up once.
 */
export function costOf(usage: Usage, version: PriceVersion, served: ServedTerms): NanoDollars {
  const counts = countByClass(usage)
  const { tier, atMs } = served
  const { rates } = findSheet(version, { tier, atMs, inputTokens: counts.all })
  const tokensPpm = regionPpmOf(version, served.region)
  const fast = tokensPpm === PPM && !hasCalls(usage) ? sumOfTokens(counts, rates) : undefined
  return fast ?? sumCost({ tokens: termsOf(counts, rates), tokensPpm, calls: callsOf(usage, version) })
}

/**
 * Sums the cost of tokens only, where a double holds the sum. This covers nearly every answer and creates no object.
 */
function sumOfTokens(counts: TokenCounts, rates: PriceRates): NanoDollars | undefined {
  let sum = 0
  for (const rateClass of rateClasses) {
    const count = counts[rateClass]
    if (count !== 0) sum += count * rateOf(rates, rateClass)
  }
  return roundSum(sum)
}

function termsOf(counts: TokenCounts, rates: PriceRates): readonly Term[] {
  return rateClasses.map((rateClass) => [counts[rateClass], rateOf(rates, rateClass)])
}

function hasCalls({ toolCalls }: Usage): boolean {
  for (const _ in toolCalls) return true
  return false
}

function callsOf({ toolCalls }: Usage, version: PriceVersion): readonly Term[] {
  return Object.entries(toolCalls).map(([name, count]) => [
    billedCalls(version, name, boundCount(count)),
    priceOfTool(version, name),
  ])
}

/** The number of billed calls. A tool that is billed per answer counts as one call. */
export function billedCalls(version: PriceVersion, name: string, count: number): number {
  const { toolsByAnswer = [], minCalls = {} } = version
  if (toolsByAnswer.includes(name)) return Math.min(count, 1)
  const min = Object.hasOwn(minCalls, name) ? minCalls[name] : undefined
  return count === 0 || min === undefined ? count : Math.max(count, min)
}

/** The price of a million calls. The name comes from an answer, so it may also be the name of any object member. */
export function priceOfTool({ toolCalls }: PriceVersion, name: string): NanoDollars {
  return (Object.hasOwn(toolCalls, name) ? toolCalls[name] : undefined) ?? brand<NanoDollars>(0)
}

/** Token counts by the class that bills them, and the input of all classes. */
type TokenCounts = Readonly<Record<RateClass | 'all', number>>

/**
 * Splits usage into counts that do not overlap. A part of two classes, such as audio in a cache, is billed once, in the
 * narrower class. Each part takes its share from the remainder.
 */
function countByClass(usage: Usage): TokenCounts {
  const fresh = boundCount(usage.freshInputTokens)
  const cached = boundCount(usage.cacheReadTokens)
  const cacheWrite = boundCount(usage.cacheWriteShortTokens)
  const cacheWriteLong = boundCount(usage.cacheWriteLongTokens)
  const output = boundCount(usage.outputTokens)
  const all = fresh + cached + cacheWrite + cacheWriteLong
  if (usage.billed !== undefined) return { ...none, all, ...countsOfBilled(usage.billed) }
  const cacheReadAudio = partOf(cached, usage.cacheReadAudioTokens)
  const inputAudio = partOf(fresh, boundCount(usage.inputAudioTokens) - cacheReadAudio)
  const inputImage = partOf(fresh - inputAudio, usage.inputImageTokens)
  const reasoning = partOf(output, usage.reasoningTokens)
  const outputAudio = partOf(output - reasoning, usage.outputAudioTokens)
  const outputImage = partOf(output - reasoning - outputAudio, usage.outputImageTokens)
  return {
    all,
    input: fresh - inputAudio - inputImage,
    inputAudio,
    inputImage,
    cacheRead: cached - cacheReadAudio,
    cacheReadAudio,
    cacheWrite,
    cacheWriteLong,
    output: output - reasoning - outputAudio - outputImage,
    reasoning,
    outputAudio,
    outputImage,
  }
}

const rateClasses: readonly RateClass[] = [...inputClasses, ...outputClasses]

const none: Readonly<Record<RateClass, number>> = {
  input: 0,
  inputAudio: 0,
  inputImage: 0,
  cacheRead: 0,
  cacheReadAudio: 0,
  cacheWrite: 0,
  cacheWriteLong: 0,
  output: 0,
  reasoning: 0,
  outputAudio: 0,
  outputImage: 0,
}

function countsOfBilled({ input, output }: BilledTokens): Pick<TokenCounts, 'input' | 'output'> {
  return { input: boundCount(input), output: boundCount(output) }
}

function partOf(rest: number, named: number): number {
  return Math.min(boundCount(named), rest)
}

/** The rate of a class, or of its parent class where it has none. */
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

/** The factor of a region. The region's name comes from an answer, so it is not trusted either. */
function regionPpmOf({ regionPpm = {} }: PriceVersion, region: string | undefined): number {
  return (region !== undefined && Object.hasOwn(regionPpm, region) ? regionPpm[region] : undefined) ?? PPM
}
