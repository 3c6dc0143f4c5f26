import { type Branded, brand } from '../kit/brand.ts'

/** Whole thousand-millionths of a US dollar: amounts of money are integers, never fractions that drift. */
export type NanoDollars = Branded<number, 'NanoDollars'>

export const NANO_DOLLARS_PER_DOLLAR = 1_000_000_000
const ZERO = 0x30

/** Writes US dollars exactly, as `0.000123`, without an exponent and without zeros at the end. */
export function writeDollars(amount: NanoDollars | bigint): string {
  if (typeof amount === 'number' && amount >= 0) return writeWhole(amount)
  const digits = String(amount).replace('-', '').padStart(10, '0')
  const fraction = digits.slice(-9).replace(/0+$/, '')
  const whole = digits.slice(0, -9)
  return `${amount < 0 ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}`
}

/** The same without a search: exports write hundreds of thousands of amounts a second. */
function writeWhole(amount: number): string {
  const rest = amount % NANO_DOLLARS_PER_DOLLAR
  const whole = (amount - rest) / NANO_DOLLARS_PER_DOLLAR
  if (rest === 0) return String(whole)
  const digits = String(rest + NANO_DOLLARS_PER_DOLLAR)
  let end = digits.length
  while (digits.charCodeAt(end - 1) === ZERO) end -= 1
  return `${whole}.${digits.slice(1, end)}`
}

/** The nearest whole amount. `dollars` must be finite, and small enough to be exact: at most 9 million. */
export function nanoDollarsOf(dollars: number): NanoDollars {
  return brand<NanoDollars>(Math.round(dollars * NANO_DOLLARS_PER_DOLLAR))
}

/** The sum of what came before, if anything did, and one amount more. */
export function addAmounts(before: NanoDollars | undefined, amount: NanoDollars): NanoDollars {
  return before === undefined ? amount : brand<NanoDollars>(before + amount)
}

/** Parts per million that leave an amount as it is. */
export const PPM = 1_000_000

/** A share in parts per million, rounded up, and at most what a number holds exactly. */
export function multiplyPpm(amount: NanoDollars, ppm: number): NanoDollars {
  if (ppm === PPM) return amount
  const exact = (BigInt(amount) * BigInt(ppm) + BigInt(PPM - 1)) / BigInt(PPM)
  return brand<NanoDollars>(Math.min(Number(exact), Number.MAX_SAFE_INTEGER))
}
