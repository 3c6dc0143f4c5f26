import type { NanoDollars } from '../canonical/money.ts'
import { brand } from '../kit/values/brand.ts'
import type { RequestRow } from './observer.ts'

/** Of all attempts. Undefined where none has any: no model without a price looks as if it cost nothing. */
export function sumAmounts(
  { attempts }: Pick<RequestRow, 'attempts'>,
  amount: 'cost' | 'charged',
): NanoDollars | undefined {
  let total: number | undefined
  for (const attempt of attempts) {
    const one = attempt[amount]
    if (one !== undefined) total = (total ?? 0) + one
  }
  return total === undefined ? undefined : brand<NanoDollars>(total)
}
