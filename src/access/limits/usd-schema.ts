import { z } from 'zod'
import { type NanoDollars, nanoDollarsOf } from '../../canonical/money.ts'

/** More is no longer a whole number of nano-dollars that a computer can be exact about. */
const MOST_USD = 9_000_000
const explanation = `must be US dollars from 0 to ${MOST_USD}, such as 5 or 0.25, with at most nine decimals`

/** An amount in US dollars, exactly. */
export const usdSchema = z
  .number({ error: explanation })
  .min(0, { error: explanation })
  .max(MOST_USD, { error: explanation })
  .refine((dollars) => nanoDollarsOf(dollars) / 1e9 === dollars, { error: explanation })
  .transform((dollars): NanoDollars => nanoDollarsOf(dollars))

/** For people and the admin API: US dollars, exactly. */
export function usdOf(amount: NanoDollars): number {
  return amount / 1e9
}
