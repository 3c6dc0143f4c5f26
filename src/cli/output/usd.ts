import { InvalidArgumentError } from 'commander'
import { nanoDollarsOf, writeDollars } from '../../canonical/money.ts'

/** Reads an option's value in US dollars. The server checks whether the amount is allowed. */
export function readUsd(text: string): number {
  if (/^-?(\d+(\.\d*)?|\.\d+)$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be US dollars, such as 20 or 0.25.')
}

/** Writes an amount with its dollar sign, in cents where that is exact, else with all decimals. */
export function writeUsd(amount: number): string {
  const [sign, size] = amount < 0 ? ['-', -amount] : ['', amount]
  const cents = size.toFixed(2)
  return `${sign}$${Number(cents) === size ? cents : size.toFixed(9).replace(/0+$/, '')}`
}

/** The amount from which a JSON number cannot represent every nano-dollar. */
const MAX_EXACT_DOLLARS = 4_000_000

/** Writes an amount as a number without a dollar sign, exactly and without an exponent. */
export function writeUsdNumber(dollars: number): string {
  return Math.abs(dollars) < MAX_EXACT_DOLLARS ? writeDollars(nanoDollarsOf(dollars)) : dollars.toFixed(6)
}

const MIN_FRACTION_DIGITS = 2

/** Writes every amount of a column with the number of decimals that the longest amount needs. */
export function createUsdColumn(amounts: readonly number[]): (dollars: number) => string {
  const digits = Math.max(
    MIN_FRACTION_DIGITS,
    ...new Set(amounts.map((amount) => fractionOf(writeUsdNumber(amount)).length)),
  )
  return (dollars) => {
    const text = writeUsdNumber(dollars)
    const fraction = fractionOf(text)
    const point = fraction === '' ? '.' : ''
    return `${text}${point}${'0'.repeat(digits - fraction.length)}`
  }
}

function fractionOf(text: string): string {
  const point = text.indexOf('.')
  return point === -1 ? '' : text.slice(point + 1)
}
