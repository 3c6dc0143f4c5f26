import type { WorstCase } from '../../../src/metering/meter.ts'

const MILLION = 1_000_000n

export interface Amounts {
  readonly cost: number
  readonly charged: number
}

/** The amounts of a request with so much output, in whole numbers of any size. */
export function amountsOf({ fixed, outputRate, multiplierPpm }: WorstCase, output: number): Amounts {
  const cost = BigInt(fixed) + divideUp(BigInt(output) * BigInt(outputRate))
  return { cost: Number(cost), charged: Number(divideUp(cost * BigInt(multiplierPpm))) }
}

/** The cost of counts at their rates for a million, rounded up once. */
export function costOf(terms: readonly (readonly [count: number, rate: number])[]): number {
  return Number(divideUp(terms.reduce((sum, [count, rate]) => sum + BigInt(count) * BigInt(rate), 0n)))
}

export function multiplied(cost: number, ppm: number): number {
  return Number(divideUp(BigInt(cost) * BigInt(ppm)))
}

function divideUp(dividend: bigint): bigint {
  return dividend / MILLION + (dividend % MILLION > 0n ? 1n : 0n)
}
