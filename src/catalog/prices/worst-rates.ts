import { multiplyPpm, type NanoDollars, PPM } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import { rateOf } from './cost-of.ts'
import { isBehind } from './find-sheet.ts'
import {
  inputClasses,
  outputClasses,
  type PriceSheet,
  type PriceTier,
  type PriceVersion,
  type RateClass,
} from './price.ts'

interface Possible {
  /** The tiers at which the answer may be served. */
  readonly tiers: readonly PriceTier[]
  /** The upper bound of the input. */
  readonly inputTokens: number
  /** The billed classes that are possible besides plain input and output. Absent where all are possible. */
  readonly classes?: ReadonlySet<RateClass>
}

/** The highest rates per million tokens. */
export interface WorstRates {
  readonly input: NanoDollars
  readonly output: NanoDollars
}

/**
 * Finds the highest rates at which any answer could be billed. No tier, hour, region or input length up to the bound
 * costs more.
 */
export function worstRates(version: PriceVersion, possible: Possible): WorstRates {
  const last = known.get(version)
  if (last !== undefined && hasSameRates(last, possible)) return last.rates
  const rates = findWorstRates(version, possible)
  known.set(version, { ...possible, ...rangeOf(version, possible), rates })
  return rates
}

/** The last result for each version. This runs for each request under a budget, and most requests are of one kind. */
const known = new WeakMap<PriceVersion, KnownRates>()

interface KnownRates extends Omit<Possible, 'inputTokens'> {
  /** The same sheets apply to all longer inputs, up to `toTokens`. */
  readonly aboveTokens: number
  readonly toTokens: number
  readonly rates: WorstRates
}

function hasSameRates(last: KnownRates, { tiers, inputTokens, classes }: Possible): boolean {
  if (inputTokens <= last.aboveTokens || inputTokens > last.toTokens) return false
  if (classes !== last.classes) return false
  if (tiers === last.tiers) return true
  return tiers.length === last.tiers.length && tiers.every((tier, index) => tier === last.tiers[index])
}

function rangeOf({ sheets }: PriceVersion, { inputTokens }: Possible) {
  let [aboveTokens, toTokens] = [Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]
  for (const { aboveInputTokens } of sheets) {
    if (aboveInputTokens < inputTokens) aboveTokens = Math.max(aboveTokens, aboveInputTokens)
    else toTokens = Math.min(toTokens, aboveInputTokens)
  }
  return { aboveTokens, toTokens }
}

function findWorstRates(version: PriceVersion, possible: Possible): WorstRates {
  let [input, output] = [0, 0]
  for (const sheet of version.sheets) {
    if (!mayApply(sheet, possible)) continue
    input = Math.max(input, dearest(sheet, inputClasses, possible))
    output = Math.max(output, dearest(sheet, outputClasses, possible))
  }
  return { input: withRegion(input, version), output: withRegion(output, version) }
}

function mayApply({ tier, aboveInputTokens }: PriceSheet, { tiers, inputTokens }: Possible): boolean {
  if (aboveInputTokens > 0 && inputTokens <= aboveInputTokens) return false
  return tiers.some((from) => isBehind(tier, from))
}

function dearest({ rates }: PriceSheet, ofKind: readonly RateClass[], { classes }: Possible): number {
  let maxRate = 0
  for (const each of ofKind) {
    const isPossible = each === 'input' || each === 'output' || classes?.has(each) !== false
    if (isPossible) maxRate = Math.max(maxRate, rateOf(rates, each))
  }
  return maxRate
}

function withRegion(rate: number, { regionPpm }: PriceVersion): NanoDollars {
  const amount = brand<NanoDollars>(rate)
  return regionPpm === undefined ? amount : multiplyPpm(amount, Math.max(PPM, ...Object.values(regionPpm)))
}
