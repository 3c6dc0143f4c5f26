/** Digits, alone or in groups of three, and decimals after a point. */
const AMOUNT =
  /^-?\s?\$?\s?(?=\.?\d)(?:\d{1,3}(?:,\d{3})+|\d{1,3}(?:_\d{3})+|\d{1,3}(?:\s\d{3})+|\d*)(?:\.\d+)?$/

/**
 * A number as people type it: with a leading dollar sign, and commas, spaces or underscores between thousands allowed.
 * A comma before decimals is no number, since without it `0,50` would be 50.
 */
export function readAmount(text: string): number {
  const trimmed = text.trim()
  if (!AMOUNT.test(trimmed)) return Number.NaN
  const amount = Number(trimmed.replace(/[\s$,_]/g, ''))
  return Number.isFinite(amount) ? amount : Number.NaN
}
