import { multiplyPpm, type NanoDollars, PPM } from '../../canonical/money.ts'
import { brand } from '../../kit/values/brand.ts'
import { rateOf } from './cost-of.ts'
import { tiersBehind } from './find-sheet.ts'
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
  /** Of the classes beside plain input and output, those that the request can be billed for; absent where all. */
  readonly classes?: ReadonlySet<RateClass>
}

/** For a million tokens each. */
export interface WorstRates {
  readonly input: NanoDollars
  readonly output: NanoDollars
}

/**
 * The dearest rates that any answer could be billed at: in no tier, at no hour, in no region and with no length of the
 * input up to its bound does it cost more.
 */
export function worstRates(version: PriceVersion, possible: Possible): WorstRates {
  const tiers = new Set(possible.tiers.flatMap(tiersBehind))
  const sheets = version.sheets.filter(
    ({ tier, aboveInputTokens }) =>
      tiers.has(tier) && (aboveInputTokens === 0 || possible.inputTokens > aboveInputTokens),
  )
  const dearest = (classes: readonly RateClass[]) => {
    const rates = sheets.flatMap((sheet) => possibleRates(sheet, classes, possible))
    return withRegion(brand<NanoDollars>(Math.max(0, ...rates)), version)
  }
  return { input: dearest(inputClasses), output: dearest(outputClasses) }
}

function possibleRates({ rates }: PriceSheet, classes: readonly RateClass[], possible: Possible) {
  return classes
    .filter((each) => each === 'input' || each === 'output' || (possible.classes?.has(each) ?? true))
    .map((each) => rateOf(rates, each))
}

function withRegion(rate: NanoDollars, { regionPpm = {} }: PriceVersion): NanoDollars {
  return multiplyPpm(rate, Math.max(PPM, ...Object.values(regionPpm)))
}
