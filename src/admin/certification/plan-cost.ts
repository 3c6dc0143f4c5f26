import { addAmounts, type NanoDollars } from '../../canonical/money.ts'
import { noUsage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import { costOf } from '../../catalog/prices/cost-of.ts'
import { priceAt } from '../../catalog/prices/price-history.ts'
import type { CheckName } from './certification-contract.ts'
import { allChecks } from './checks/all-checks.ts'

/** The maximum cost of a check. Undefined if the model has no price. */
export function boundCost({ prices }: Pick<Target, 'prices'>, check: CheckName, atMs: number) {
  const price = prices === undefined ? undefined : priceAt(prices, atMs)
  if (price === undefined) return undefined
  const { calls, inputTokens, outputTokens } = allChecks[check].bounds
  const usage = { ...noUsage, freshInputTokens: inputTokens, outputTokens }
  const one = costOf(usage, price, { tier: 'standard', atMs, region: undefined })
  return Array.from({ length: calls }).reduce<NanoDollars | undefined>(
    (sum) => addAmounts(sum, one),
    undefined,
  )
}

/** The maximum total cost of checks. Undefined if the model has no price. */
export function boundCosts(
  target: Pick<Target, 'prices'>,
  checks: readonly CheckName[],
  atMs: number,
): NanoDollars | undefined {
  let sum: NanoDollars | undefined
  for (const check of checks) {
    const cost = boundCost(target, check, atMs)
    if (cost === undefined) return undefined
    sum = addAmounts(sum, cost)
  }
  return sum
}

/** The maximum number of requests that checks send. */
export function countRequests(checks: readonly CheckName[]): number {
  return checks.reduce((sum, check) => sum + allChecks[check].bounds.calls, 0)
}
