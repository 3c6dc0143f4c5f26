import { noUsage, type Usage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { MediaExchange } from './exchange.ts'

/** The usage of an answer that states none: in the unit that the target's price has, else in tokens. */
export function estimateMediaUsage({ format, scanned }: MediaExchange, target: Target): Usage {
  const { tokens, units, unitsAreEstimated } = format.estimateUsage(scanned)
  if (!billsAnyOf(units, target)) return tokens
  return { ...noUsage, toolCalls: units, isEstimated: unitsAreEstimated }
}

/** Adds units that the target bills to what an answer states in tokens alone. */
export function withUnits(usage: Usage, { format, scanned }: MediaExchange, target: Target): Usage {
  const { units } = format.estimateUsage(scanned)
  return target.prices !== undefined && billsAnyOf(units, target) ? { ...usage, toolCalls: units } : usage
}

/** A model without a price is counted by its units, which are certain more often. */
function billsAnyOf(units: Usage['toolCalls'], { prices }: Target): boolean {
  if (prices === undefined) return true
  return prices.some(({ toolCalls }) => Object.keys(units).some((unit) => Object.hasOwn(toolCalls, unit)))
}
