import { InvalidArgumentError } from 'commander'

/** Reads an option's value in US dollars. The server checks whether the amount is allowed. */
export function readUsd(text: string): number {
  if (/^-?(\d+(\.\d*)?|\.\d+)$/.test(text)) return Number(text)
  throw new InvalidArgumentError('It must be US dollars, such as 20 or 0.25.')
}

/** Writes an amount in cents where that is exact, else with all decimals. */
export function writeUsd(amount: number): string {
  const [sign, size] = amount < 0 ? ['-', -amount] : ['', amount]
  const cents = size.toFixed(2)
  return `${sign}$${Number(cents) === size ? cents : size.toFixed(9).replace(/0+$/, '')}`
}
