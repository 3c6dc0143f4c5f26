import type { ReachedThreshold } from './budget-meter.ts'

/** For operators, such as `the budget "search" has spent 80 % of its limit`. */
export function describeThreshold({ budget, tagValue, percent }: ReachedThreshold): string {
  const whose = tagValue === undefined ? '' : ` of ${JSON.stringify(tagValue)}`
  const name = `the budget ${JSON.stringify(budget.name)}${whose}`
  return percent >= 100 ? `${name} is spent` : `${name} has spent ${percent} % of its limit`
}
