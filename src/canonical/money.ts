import { type Branded, brand } from '../kit/brand.ts'

/** Whole billionths of a US dollar. Amounts of money are integers, never fractions that drift. */
export type NanoDollars = Branded<number, 'NanoDollars'>

export const NANO_DOLLARS_PER_DOLLAR = 1_000_000_000
const ZERO = 0x30

/** Writes US dollars exactly, as `0.000123`, without an exponent and without trailing zeros. */
export function writeDollars(amount: NanoDollars | bigint): string {
  if (typeof amount === 'number' && amount >= 0) return writeWhole(amount)
  const digits = String(amount).replace('-', '').padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  const whole = digits.slice(0, -9)
  return `${amount < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** Writes a whole amount without a search. Exports write hundreds of thousands of amounts per second. */
function writeWhole(amount: number): string {
  const rest = amount % NANO_DOLLARS_PER_DOLLAR
  const whole = (amount - rest) / NANO_DOLLARS_PER_DOLLAR
  if (rest === 0) return String(whole)
  const digits = String(rest + NANO_DOLLARS_PER_DOLLAR)
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1
  return `${whole}.${digits.slice(1, end)}`
}

/**
 * Rounds dollars to the nearest whole amount. `dollars` must be finite and at most 9 million, so that the result is
 * exact.
 */
export function nanoDollarsOf(dollars: number): NanoDollars {
  return brand<NanoDollars>(Math.round(dollars * NANO_DOLLARS_PER_DOLLAR))
}

/** Adds an amount to the sum so far. An undefined sum is zero. */
export function addAmounts(before: NanoDollars | undefined, amount: NanoDollars): NanoDollars {
  return before === undefined ? amount : brand<NanoDollars>(before + amount)
}

/** The parts per million that leave an amount unchanged. */
export const PPM = 1_000_000

/** Multiplies an amount by parts per million and rounds up. The result is at most the largest exact integer. */
export function multiplyPpm(amount: NanoDollars, ppm: number): NanoDollars {
  if (ppm === PPM) return amount
  const exact = (BigInt(amount) * BigInt(ppm) + BigInt(PPM - 1)) / BigInt(PPM)
  return brand<NanoDollars>(Math.min(Number(exact), Number.MAX_SAFE_INTEGER))
}
