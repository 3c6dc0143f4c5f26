import type { NanoDollars } from '../../canonical/money.ts'
import { type Budget, type CountedSum, countedAmount } from '../budget.ts'
import type { WorstCase } from '../meter.ts'
import { maxCap, worstAmounts } from './worst-cost.ts'

export interface BudgetState {
  readonly budget: Budget
  /** Undefined: unlimited. */
  readonly limit: number | undefined
  /** The amount spent, without the amount that resets gave back. */
  readonly spent: number
  readonly held: number
  /** The number of requests with a hold in the budget. */
  readonly holds: number
  /** The amount that this process may hold now; infinite where no other process shares the budget. */
  readonly available: number
}

export interface HoldRefusal<State> {
  readonly state: State
  /** `spent`: nothing remains. `too-small`: the remaining amount does not cover the request. */
  readonly reason: 'spent' | 'too-small'
  /** The amount that must be freed before the request fits. */
  readonly missing: number
}

export type HoldPlan<State> =
  | { readonly type: 'fits'; readonly maxOutputTokens: number | undefined; readonly isClamped: boolean }
  | { readonly type: 'refused'; readonly refusals: readonly HoldRefusal<State>[] }

/**
 * The assumed output cap where neither the caller nor the model has one. It is a low guess, since servers refuse a
 * request whose cap is above their own.
 */
export const ASSUMED_MAX_OUTPUT_TOKENS = 32_768

/** Decides whether a request fits into all its budgets, and with which output cap. */
export function planHold<State extends BudgetState>(
  states: readonly State[],
  worst: WorstCase,
): HoldPlan<State> {
  const amounts = { cost: boundsOf(worst, 'cost'), charged: boundsOf(worst, 'charged') }
  const refusals: HoldRefusal<State>[] = []
  let { maxOutputTokens } = worst
  for (const state of states) {
    const fit = fitInto(state, worst, amounts[countedAmount(state.budget.scope)])
    if (fit.type === 'refused') refusals.push({ state, ...fit.refusal })
    else if (fit.maxOutputTokens !== undefined)
      maxOutputTokens = Math.min(maxOutputTokens ?? fit.maxOutputTokens, fit.maxOutputTokens)
  }
  if (refusals.length > 0) return { type: 'refused', refusals }
  return { type: 'fits', maxOutputTokens, isClamped: maxOutputTokens !== worst.maxOutputTokens }
}

/** The amounts that a hold lacks in one budget. */
export interface Shortage<State> {
  readonly state: State
  /** The amount that the request lacks with its full output. */
  readonly needed: number
  /**
   * The smallest additional amount with which the request can be served, if its output can be lowered. Else the same as
   * `needed`.
   */
  readonly minimum: number
}

/**
 * Finds the budgets in which this process may hold less than the request needs. Other processes may have been granted
 * more of them.
 */
export function findShortages<State extends BudgetState>(
  states: readonly State[],
  worst: WorstCase,
): readonly Shortage<State>[] {
  return states.flatMap((state) => {
    if (!holdsWorstCase(state) || state.available === Number.POSITIVE_INFINITY) return []
    const counts = countedAmount(state.budget.scope)
    const { max = worstAmounts(worst, ASSUMED_MAX_OUTPUT_TOKENS)[counts], min } = boundsOf(worst, counts)
    if (max <= state.available) return []
    const canLower = worst.canClamp && state.budget.atLimit.type === 'clamp'
    const needed = max - state.available
    return [{ state, needed, minimum: canLower ? Math.max(0, min - state.available) : needed }]
  })
}

/** Whether a budget holds the worst case of a request. */
export function holdsWorstCase({ budget, limit }: Pick<BudgetState, 'budget' | 'limit'>): boolean {
  return budget.mode === 'exact' && limit !== undefined
}

type BudgetFit =
  /** The output cap; undefined: the budget requires no cap. */
  | { readonly type: 'fits'; readonly maxOutputTokens: number | undefined }
  | { readonly type: 'refused'; readonly refusal: Omit<HoldRefusal<unknown>, 'state'> }

interface Amounts {
  /** The amount with the full output; undefined where the output has a price but no cap. */
  readonly max: NanoDollars | undefined
  /** The amount with the smallest useful output. */
  readonly min: NanoDollars
}

function boundsOf(worst: WorstCase, counts: CountedSum): Amounts {
  const { maxOutputTokens, outputRate, multiplierPpm } = worst
  const isOutputFree = outputRate === 0 || (multiplierPpm === 0 && counts === 'charged')
  const maxOutput = isOutputFree ? 0 : maxOutputTokens
  return {
    max: maxOutput === undefined ? undefined : worstAmounts(worst, maxOutput)[counts],
    min: worstAmounts(worst, minCap(worst))[counts],
  }
}

const noCap: BudgetFit = { type: 'fits', maxOutputTokens: undefined }

function fitInto(state: BudgetState, worst: WorstCase, { max, min }: Amounts): BudgetFit {
  const { budget, limit, spent } = state
  if (limit === undefined || budget.mode === 'observe') return noCap
  if (max === 0) return noCap
  if (budget.mode === 'estimate')
    return spent < limit ? noCap : refuse({ left: limit - spent, missing: 1 - (limit - spent) })
  const left = limit - spent - state.held
  const remaining = Math.min(left, state.available)
  if (max !== undefined && max <= remaining) return noCap
  const canLower = worst.canClamp && (budget.atLimit.type === 'clamp' || max === undefined)
  if (!canLower) return refuse({ left, missing: (max ?? Number.POSITIVE_INFINITY) - remaining })
  if (min > remaining) return refuse({ left, missing: min - remaining })
  return { type: 'fits', maxOutputTokens: fairCap(state, worst, remaining) }
}

/**
 * Refuses a request. `left` is the amount that is neither spent nor held in this process; other processes may hold a
 * part of it.
 */
function refuse({ left, missing }: { readonly left: number; readonly missing: number }): BudgetFit {
  return { type: 'refused', refusal: { reason: left <= 0 ? 'spent' : 'too-small', missing } }
}

/**
 * The output cap that shares the remaining amount evenly among this request and the requests with a hold in the budget.
 * The cap is never below the smallest useful one.
 */
function fairCap({ budget, holds }: BudgetState, worst: WorstCase, remaining: number): number {
  const share = Math.floor(remaining / (1 + holds))
  const cap = maxCap(worst, countedAmount(budget.scope), share)
  return Math.min(Math.max(cap, minCap(worst)), worst.maxOutputTokens ?? ASSUMED_MAX_OUTPUT_TOKENS)
}

function minCap({ minOutput, maxOutputTokens = ASSUMED_MAX_OUTPUT_TOKENS }: WorstCase): number {
  return Math.min(minOutput, maxOutputTokens)
}
