import { nanoDollarsOf, writeDollars } from '../../canonical/money.ts'

/** The amount from which a JSON number cannot represent every nano-dollar. */
const MAX_EXACT_DOLLARS = 4_000_000

/** Writes an amount of the admin API in US dollars, exactly and without an exponent. */
export function writeUsdAmount(dollars: number): string {
  return Math.abs(dollars) < MAX_EXACT_DOLLARS ? writeDollars(nanoDollarsOf(dollars)) : dollars.toFixed(6)
}

const MIN_FRACTION_DIGITS = 2

/** Writes every amount of a column with the number of decimals that the longest amount needs. */
export function createUsdColumn(amounts: readonly number[]): (dollars: number) => string {
  const digits = Math.max(
    MIN_FRACTION_DIGITS,
    ...new Set(amounts.map((amount) => fractionOf(writeUsdAmount(amount)).length)),
  )
  return (dollars) => {
    const text = writeUsdAmount(dollars)
    const fraction = fractionOf(text)
    const point = fraction === '' ? '.' : ''
    return `${text}${point}${'0'.repeat(digits - fraction.length)}`
  }
}

function fractionOf(text: string): string {
  const point = text.indexOf('.')
  return point === -1 ? '' : text.slice(point + 1)
}
