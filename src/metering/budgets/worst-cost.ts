import { multiplyPpm, type NanoDollars } from '../../canonical/money.ts'
import { costOfCount } from '../../catalog/prices/sum-cost.ts'
import { brand } from '../../kit/brand.ts'
import type { CountedSum } from '../budget.ts'
import type { WorstCase } from '../meter.ts'

const MILLION = 1_000_000n

/** The maximum amounts for a request with this output cap, rounded up. */
export function worstAmounts(
  worst: WorstCase,
  maxOutputTokens: number,
): Readonly<Record<CountedSum, NanoDollars>> {
  const { fixed, outputRate, multiplierPpm } = worst
  const sum = fixed + costOfCount(maxOutputTokens, outputRate)
  const cost = brand<NanoDollars>(Math.min(sum, Number.MAX_SAFE_INTEGER))
  return { cost, charged: multiplyPpm(cost, multiplierPpm) }
}

/** The largest output cap for which a request costs no more than an amount. Negative if the input alone costs more. */
export function maxCap(worst: WorstCase, counts: CountedSum, amount: number): number {
  const { fixed, outputRate, multiplierPpm } = worst
  const ppm = counts === 'charged' ? BigInt(multiplierPpm) : MILLION
  if (ppm === 0n) return Number.POSITIVE_INFINITY
  const left = (BigInt(amount) * MILLION) / ppm - BigInt(fixed)
  if (left < 0n) return -1
  return outputRate === 0 ? Number.POSITIVE_INFINITY : Number((left * MILLION) / BigInt(outputRate))
}
