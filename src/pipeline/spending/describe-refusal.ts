import { createFailure, type Failure } from '../../canonical/failure.ts'
import type { HoldResult } from '../../metering/meter.ts'

/** Names the budget at its limit, and when it starts anew. */
export function describeRefusal({
  budget,
  reason,
  resetsAtMs,
}: Extract<HoldResult, { type: 'refused' }>): Failure {
  const name = JSON.stringify(budget.name)
  const state =
    reason === 'spent'
      ? `The budget ${name} is spent.`
      : `What is left of the budget ${name} does not hold the most that this request can cost. A shorter input or a smaller output limit may fit.`
  const resetsAt = resetsAtMs === undefined ? undefined : new Date(resetsAtMs).toISOString()
  const next =
    resetsAt === undefined
      ? 'It does not start anew by itself; ask the operator of this gateway to raise it.'
      : `It starts anew at ${resetsAt}; the operator of this gateway can raise it before.`
  return createFailure('budget_exceeded', {
    message: `${state} ${next}`,
    details: { budget: budget.name, ...(resetsAt === undefined ? {} : { resets_at: resetsAt }) },
  })
}
