import { OperatorError } from '../../canonical/operator-error.ts'
import type { JsonObject } from '../../kit/json/json.ts'

/** Reads the option of a budget: `5/day`, `unlimited/month`, `2.5/rolling 5h`. */
export function readWrittenBudget(text: string): JsonObject {
  const [, amount = '', window = ''] = /^([^/]+)\/(.+)$/.exec(text) ?? []
  if (amount === '')
    throw new OperatorError(
      'option_invalid',
      `"${text}" must be US dollars and a window, such as 5/day or 2.5/rolling 5h`,
    )
  return { limit_usd: amount === 'unlimited' ? amount : Number(amount), window }
}
