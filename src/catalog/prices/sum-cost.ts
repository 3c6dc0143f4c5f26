import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'

/** A count and its price per million. */
export type Term = readonly [count: number, rate: number]

interface Sum {
  readonly tokens: readonly Term[]
  /** The factor of the tokens' cost, in millionths. */
  readonly tokensPpm: number
  readonly calls: readonly Term[]
}

const MILLION = 1_000_000
const MILLION_BIG = 1_000_000n

/** Sums the terms and rounds up once. The result is at most the largest exact integer, 9 million dollars. */
export function sumCost({ tokens, tokensPpm, calls }: Sum): NanoDollars {
  // Rounding is monotonic, so a sum of doubles that stays below 2^53 was exact at every step.
  const rounded = roundSum(sumDoubles(tokens) + sumDoubles(calls))
  if (tokensPpm === MILLION && rounded !== undefined) return rounded
  const exact = sumBig(tokens) * BigInt(tokensPpm) + sumBig(calls) * MILLION_BIG
  const nanoDollars = ceilDivide(exact, MILLION_BIG * MILLION_BIG)
  return brand<NanoDollars>(Math.min(Number(nanoDollars), Number.MAX_SAFE_INTEGER))
}

/** The cost of a count at a rate per million, rounded up. */
export function costOfCount(count: number, rate: NanoDollars): NanoDollars {
  return roundSum(count * rate) ?? sumCost({ tokens: [[count, rate]], tokensPpm: MILLION, calls: [] })
}

/** Rounds a sum of counts times rates up to a cost, once. Undefined where the sum may not be exact. */
export function roundSum(sum: number): NanoDollars | undefined {
  return sum <= Number.MAX_SAFE_INTEGER ? brand<NanoDollars>(divideUp(sum)) : undefined
}

function sumDoubles(terms: readonly Term[]): number {
  let sum = 0
  for (const [count, rate] of terms) sum += count * rate
  return sum
}

function sumBig(terms: readonly Term[]): bigint {
  return terms.reduce((total, [count, rate]) => total + BigInt(count) * BigInt(rate), 0n)
}

/** Divides and rounds up. A quotient of doubles could lose a fraction to rounding. */
function divideUp(sum: number): number {
  const rest = sum % MILLION
  return (sum - rest) / MILLION + (rest > 0 ? 1 : 0)
}

function ceilDivide(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}
