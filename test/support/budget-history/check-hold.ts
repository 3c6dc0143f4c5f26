import { type Budget, countedAmount } from '../../../src/metering/budget.ts'
import type { BudgetStatus } from '../../../src/metering/budgets/budget-meter.ts'
import { ASSUMED_MAX_OUTPUT_TOKENS } from '../../../src/metering/budgets/plan-hold.ts'
import type { AppliedBudget, HoldResult } from '../../../src/metering/meter.ts'
import type { ChosenRequest } from './chosen-budgets.ts'
import { type Amounts, amountsOf } from './reference-amounts.ts'

const ANY = Number.POSITIVE_INFINITY

export function expectThat(isRight: boolean, otherwise: string): void {
  if (!isRight) throw new Error(otherwise)
}

/** A request is refused only where its hold does not fit at that instant. */
export function checkRefusal(
  { mode, scope, atLimit }: Budget,
  before: BudgetStatus | undefined,
  { worst }: ChosenRequest,
): void {
  const { limit = ANY, spent = 0, held = 0 } = before ?? {}
  expectThat(mode !== 'observe', 'an observing budget refuses')
  if (mode === 'estimate') {
    expectThat(spent >= limit, 'an estimate refuses before it is spent')
    return
  }
  const canLower = worst.canClamp && (atLimit.type === 'clamp' || worst.maxOutputTokens === undefined)
  const minCap = Math.min(worst.minOutput, worst.maxOutputTokens ?? ASSUMED_MAX_OUTPUT_TOKENS)
  const cap = canLower ? minCap : worst.maxOutputTokens
  const needed = cap === undefined ? ANY : amountsOf(worst, cap)[countedAmount(scope)]
  expectThat(needed > limit - spent - held, 'a request is refused that fits')
}

export interface HeldBudgets {
  readonly budgets: readonly AppliedBudget[]
  readonly before: readonly BudgetStatus[]
  readonly after: readonly BudgetStatus[]
}

/** Exact budgets with a limit hold the most that a request can come to, within the limit; others nothing. */
export function checkHeld({ budgets, before, after }: HeldBudgets, worst: Amounts): void {
  for (const [index, { budget }] of budgets.entries()) {
    const { mode, limit, scope } = budget
    const holdsWorstCase = mode === 'exact' && limit !== undefined
    const added = (after[index]?.held ?? 0) - (before[index]?.held ?? 0)
    const expected = holdsWorstCase ? worst[countedAmount(scope)] : 0
    expectThat(added === expected, 'a hold is not the most that the request comes to')
    const { limit: limitThen = ANY, spent = 0, held = 0 } = after[index] ?? {}
    expectThat(expected === 0 || spent + held <= limitThen, 'a hold passes a limit')
  }
}

/** A cap is lowered where that is allowed, never raised, and never so far that it is of no use. */
export function checkCap(
  { maxOutputTokens, isClamped }: Extract<HoldResult, { type: 'held' }>,
  { worst }: ChosenRequest,
): void {
  if (!isClamped) {
    expectThat(maxOutputTokens === undefined || maxOutputTokens === worst.maxOutputTokens, 'a cap is changed')
    return
  }
  expectThat(worst.canClamp, 'a cap is lowered that cannot be')
  expectThat((maxOutputTokens ?? 0) >= worst.minOutput, 'a cap is below what is of use')
  expectThat((maxOutputTokens ?? ANY) < (worst.maxOutputTokens ?? ANY), 'a cap is raised')
}
