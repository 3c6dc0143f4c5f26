import { createFailure, type Failure } from '../../canonical/failure.ts'
import { type BudgetScope, quoteBudget } from '../../metering/budget.ts'
import { isCredit } from '../../metering/credits/credit-budget.ts'
import type { HoldResult } from '../../metering/meter.ts'
import type { LedgerRefusal } from './spending.ts'

type Refusal = Extract<HoldResult, { type: 'refused' }>

/** The failure of a refused hold. It names the budget at its limit, and the time when the budget starts again. */
export function describeHoldRefusal(refusal: Refusal): Failure {
  const { budget, reason, resetsAtMs } = refusal
  const name = nameLimit(refusal)
  const state =
    reason === 'spent'
      ? `The ${name} is spent.`
      : `What is left of the ${name} does not hold the most that this request can cost. A shorter input or a smaller output limit may fit.`
  const resetsAt = resetsAtMs === undefined ? undefined : new Date(resetsAtMs).toISOString()
  return createFailure('budget_exceeded', {
    message: `${state} ${adviseOn(refusal, resetsAt)}`,
    logCause: `the ${name} ${reason === 'spent' ? 'is spent' : 'does not hold the most that the request can cost'}`,
    details: { budget: budget.name, ...(resetsAt === undefined ? {} : { resets_at: resetsAt }) },
  })
}

function nameLimit({ budget, tagValue }: Refusal): string {
  return isCredit(budget) ? `credit of ${nameOwner(budget.scope)}` : `budget ${quoteBudget(budget, tagValue)}`
}

/** Names the owner of a budget. A key is not named by its ID, which its caller does not know. */
function nameOwner(scope: BudgetScope): string {
  if (scope.type === 'user' || scope.type === 'group')
    return `the ${scope.type} ${JSON.stringify(scope.name)}`
  return 'this API key'
}

function adviseOn({ budget }: Refusal, resetsAt: string | undefined): string {
  if (isCredit(budget)) return 'Ask the operator of this gateway for more.'
  return resetsAt === undefined
    ? 'It does not reset by itself; ask the operator of this gateway to raise it.'
    : `It resets at ${resetsAt}; the operator of this gateway can raise it before.`
}

/** The failure of a request that could not be recorded. */
export function describeLedgerRefusal(refusal: LedgerRefusal): Failure {
  if (refusal === 'store-away') return createFailure('ledger_unavailable')
  return createFailure('ledger_unavailable', {
    message:
      'What this request costs cannot be recorded at the moment: the disk of this gateway is nearly full. Try again once its operator has made room.',
    logCause: 'the disk is nearly full',
  })
}
