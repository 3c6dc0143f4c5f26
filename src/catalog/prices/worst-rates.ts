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
  /** The tiers that the answer may be served at. */
  readonly tiers: readonly PriceTier[]
  /** The most that the input can be. */
  readonly inputTokens: number
  /** The classes beside plain input and output that the request can be billed for; absent where all can apply. */
  readonly classes?: ReadonlySet<RateClass>
}

/** The rates of a million tokens each. */
export interface WorstRates {
  readonly input: NanoDollars
  readonly output: NanoDollars
}

/**
 * The dearest rates that any answer could be billed at: in no tier, at no hour, in no region and with no length of the
 * input up to its bound does it cost more.
 */
export function worstRates(version: PriceVersion, possible: Possible): WorstRates {
  // The loops make no objects, since each request under a budget asks.
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
  return tiers.some((asked) => isBehind(tier, asked))
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
