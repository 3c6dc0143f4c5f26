import { z } from 'zod'
import { NANO_DOLLARS_PER_DOLLAR, type NanoDollars, nanoDollarsOf } from '../../canonical/money.ts'
import { withFormat } from '../../kit/schema/input-fact.ts'

/** The upper bound of an amount. Larger amounts in nano-dollars are integers that a double cannot represent exactly. */
export const MAX_USD = 9_000_000
const explanation = withFormat(
  `must be US dollars from 0 to ${MAX_USD}, such as 5 or 0.25, with at most nine decimals`,
  'usd',
)
const signedExplanation = withFormat(
  `must be US dollars up to ${MAX_USD}, such as 5 or -0.25, and not 0, with at most nine decimals`,
  'usd',
)

/** An amount in US dollars, parsed exactly. */
export const usdSchema = z
  .number({ error: explanation })
  .min(0, { error: explanation })
  .max(MAX_USD, { error: explanation })
  .refine(isExact, { error: explanation })
  .transform((dollars): NanoDollars => nanoDollarsOf(dollars))

/** An amount to add, or to subtract if it is negative. */
export const signedUsdSchema = z
  .number({ error: signedExplanation })
  .min(-MAX_USD, { error: signedExplanation })
  .max(MAX_USD, { error: signedExplanation })
  .refine((dollars) => dollars !== 0 && isExact(dollars), { error: signedExplanation })
  .transform((dollars): NanoDollars => nanoDollarsOf(dollars))

function isExact(dollars: number): boolean {
  return nanoDollarsOf(dollars) / NANO_DOLLARS_PER_DOLLAR === dollars
}

/** The exact amount in US dollars, for people and the admin API. */
export function usdOf(amount: NanoDollars): number {
  return amount / NANO_DOLLARS_PER_DOLLAR
}
