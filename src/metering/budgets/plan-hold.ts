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
  /** `cap`: the output cap by which the request fits; undefined where it fits with its full output. */
  | { readonly type: 'fits'; readonly cap: number | undefined }
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
  const bounds = new WorstBounds(worst)
  const refusals: HoldRefusal<State>[] = []
  let cap: number | undefined
  for (const state of states) {
    const fit = fitInto(state, worst, bounds)
    if (fit.type === 'refused') refusals.push({ state, ...fit.refusal })
    else if (fit.cap !== undefined) cap = Math.min(cap ?? fit.cap, fit.cap)
  }
  if (refusals.length > 0) return { type: 'refused', refusals }
  return { type: 'fits', cap }
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
  const bounds = new WorstBounds(worst)
  return states.flatMap((state) => {
    if (!holdsWorstCase(state) || state.available === Number.POSITIVE_INFINITY) return []
    const counts = countedAmount(state.budget.scope)
    const max = bounds.max(counts) ?? worstAmounts(worst, ASSUMED_MAX_OUTPUT_TOKENS)[counts]
    if (max <= state.available) return []
    const canLower = worst.canClamp && state.budget.atLimit.type === 'clamp'
    const needed = max - state.available
    return [{ state, needed, minimum: canLower ? Math.max(0, bounds.min(counts) - state.available) : needed }]
  })
}

/** Whether a budget holds the worst case of a request. */
export function holdsWorstCase({ budget, limit }: Pick<BudgetState, 'budget' | 'limit'>): boolean {
  return budget.mode === 'exact' && limit !== undefined
}

type BudgetFit =
  /** The output cap; undefined: the budget requires no cap. */
  | { readonly type: 'fits'; readonly cap: number | undefined }
  | { readonly type: 'refused'; readonly refusal: Omit<HoldRefusal<unknown>, 'state'> }

/** The bounds of a request's amounts. Each is computed on first use, since few budgets need all of them. */
class WorstBounds {
  readonly #worst: WorstCase
  #full: Readonly<Record<CountedSum, NanoDollars>> | undefined

  constructor(worst: WorstCase) {
    this.#worst = worst
  }

  /** The amount with the full output; undefined where the output has a price but no cap. */
  max(counts: CountedSum): NanoDollars | undefined {
    const { maxOutputTokens, outputRate, multiplierPpm } = this.#worst
    const isOutputFree = outputRate === 0 || (multiplierPpm === 0 && counts === 'charged')
    if (maxOutputTokens === undefined && !isOutputFree) return undefined
    this.#full ??= worstAmounts(this.#worst, maxOutputTokens ?? 0)
    return this.#full[counts]
  }

  /** The amount with the smallest useful output. */
  min(counts: CountedSum): NanoDollars {
    return worstAmounts(this.#worst, minCap(this.#worst))[counts]
  }
}

const noCap: BudgetFit = { type: 'fits', cap: undefined }

function fitInto(state: BudgetState, worst: WorstCase, bounds: WorstBounds): BudgetFit {
  const { budget, limit, spent } = state
  if (limit === undefined || budget.mode === 'observe') return noCap
  if (budget.mode === 'estimate' && spent < limit) return noCap
  const counts = countedAmount(budget.scope)
  const max = bounds.max(counts)
  if (max === 0) return noCap
  if (budget.mode === 'estimate') return refuse({ left: limit - spent, missing: 1 - (limit - spent) })
  const left = limit - spent - state.held
  const remaining = Math.min(left, state.available)
  if (max !== undefined && max <= remaining) return noCap
  const canLower = worst.canClamp && (budget.atLimit.type === 'clamp' || max === undefined)
  if (!canLower) return refuse({ left, missing: (max ?? Number.POSITIVE_INFINITY) - remaining })
  const min = bounds.min(counts)
  if (min > remaining) return refuse({ left, missing: min - remaining })
  return { type: 'fits', cap: fairCap(state, worst, remaining) }
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
