import { noUsage, type Usage } from '../../canonical/usage.ts'
import type { Target } from '../../catalog/catalog.ts'
import type { MediaExchange } from './exchange.ts'

/** The usage of an answer that states no usage: in the unit that the target's price has, otherwise in tokens. */
export function estimateMediaUsage({ format, scanned }: MediaExchange, target: Target, made?: number): Usage {
  const { tokens, units, unitsAreEstimated } = format.estimateUsage(scanned, made)
  if (!billsAnyOf(units, target)) return tokens
  return { ...noUsage, toolCalls: units, isEstimated: unitsAreEstimated }
}

/** Adds the units that the target bills to an answer that states only tokens. */
export function withUnits(
  usage: Usage,
  { format, scanned }: MediaExchange,
  target: Target,
  made?: number,
): Usage {
  if (target.prices === undefined) return usage
  const { units } = format.estimateUsage(scanned, made)
  const isStated = Object.keys(units).some((unit) => Object.hasOwn(usage.toolCalls, unit))
  return !isStated && billsAnyOf(units, target) ? { ...usage, toolCalls: units } : usage
}

function billsAnyOf(units: Usage['toolCalls'], target: Target): boolean {
  return Object.keys(units).some((unit) => billsUnit(unit, target))
}

/** Whether a unit is billed. A model without a price is measured in its units, since they are certain more often. */
export function billsUnit(unit: string, { prices }: Target): boolean {
  return prices === undefined || prices.some(({ toolCalls }) => Object.hasOwn(toolCalls, unit))
}
