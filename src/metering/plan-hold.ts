import type { NanoDollars } from '../canonical/money.ts'
import { brand } from '../kit/values/brand.ts'
import { type Budget, countedAmount } from './budget.ts'
import type { WorstCase } from './meter.ts'

/** A budget at the moment of a request. */
export interface BudgetState {
  readonly budget: Budget
  /** Undefined: unlimited. */
  readonly limit: NanoDollars | undefined
  readonly spent: number
  readonly held: number
  /** Requests that hold a part of it. */
  readonly holds: number
}

export type HoldPlan =
  | { readonly type: 'fits'; readonly outputCap: number | undefined; readonly isClamped: boolean }
  | { readonly type: 'refused'; readonly budget: Budget; readonly reason: 'spent' | 'too-small' }

/** Whether a request fits into all its budgets, and with which output cap. */
export function planHold(states: readonly BudgetState[], worst: WorstCase): HoldPlan {
  let outputCap = worst.outputCap
  for (const state of states) {
    const { budget, limit, spent, held } = state
    if (limit === undefined || budget.mode === 'observe') continue
    if (budget.mode === 'estimate') {
      if (spent >= limit) return { type: 'refused', budget, reason: 'spent' }
      continue
    }
    const remaining = limit - spent - held
    if (remaining <= 0) return { type: 'refused', budget, reason: 'spent' }
    const cap = capIn(state, worst, remaining)
    if (cap === undefined) return { type: 'refused', budget, reason: 'too-small' }
    if (cap < (outputCap ?? ANY_CAP)) outputCap = cap
  }
  return { type: 'fits', outputCap, isClamped: outputCap !== worst.outputCap }
}

/** With any output cap a request fits, and with none. */
const ANY_CAP = Number.POSITIVE_INFINITY

/** The output cap with which a request fits into one budget; undefined where none does. */
function capIn({ budget, holds }: BudgetState, worst: WorstCase, remaining: number): number | undefined {
  const { outputCap, minOutput, canClamp } = worst
  if (isOutputFree(budget, worst)) return amountOf(budget, worst, 0) <= remaining ? ANY_CAP : undefined
  if (outputCap !== undefined && amountOf(budget, worst, outputCap) <= remaining) return outputCap
  if (!canClamp || (outputCap !== undefined && budget.atLimit.type !== 'clamp')) return undefined
  // Where no cap is known, whatever the budget's rule, one must be sent.
  const share = Math.floor(remaining / (1 + holds))
  const cap = Math.max(largestCap(budget, worst, share), minOutput)
  return amountOf(budget, worst, cap) <= remaining ? cap : undefined
}

/** Whether the output adds nothing to a budget, however long it is: it then needs no cap. */
function isOutputFree({ scope }: Budget, { outputRate, multiplierPpm }: WorstCase): boolean {
  return outputRate === 0 || (multiplierPpm === 0 && countedAmount(scope) === 'charged')
}

const MILLION = 1_000_000n

/** What a budget holds of a request with this output cap, rounded up. */
export function amountOf({ scope }: Budget, worst: WorstCase, outputCap: number): NanoDollars {
  const cost = exactCost(worst, outputCap)
  const amount = countedAmount(scope) === 'charged' ? multiply(cost, worst.multiplierPpm) : cost
  return brand<NanoDollars>(Math.min(Number(amount), Number.MAX_SAFE_INTEGER))
}

function exactCost({ fixed, outputRate }: WorstCase, outputCap: number): bigint {
  return BigInt(fixed) + divideUp(BigInt(outputRate) * BigInt(outputCap), MILLION)
}

function multiply(cost: bigint, ppm: number): bigint {
  return divideUp(cost * BigInt(ppm), MILLION)
}

function divideUp(dividend: bigint, divisor: bigint): bigint {
  return (dividend + divisor - 1n) / divisor
}

/** The largest cap of which the whole fits into an amount; negative where not even the input does. */
function largestCap({ scope }: Budget, worst: WorstCase, amount: number): number {
  const { fixed, outputRate, multiplierPpm } = worst
  const isCharged = countedAmount(scope) === 'charged'
  const cost = isCharged ? (BigInt(amount) * MILLION) / BigInt(multiplierPpm) : BigInt(amount)
  const left = cost - BigInt(fixed)
  return left < 0n ? -1 : Number((left * MILLION) / BigInt(outputRate))
}
