import type { LedgerRowId } from '../kit/random/ids.ts'

/** The values that are needed to correct a ledger row whose usage was not seen. */
export interface EstimatedCharge {
  readonly rowId: LedgerRowId
  readonly requestId: string
  /** The charge per million of the cost. */
  readonly multiplierPpm: number
  /** The budgets in which the row is counted. */
  readonly budgets: readonly EstimatedBudget[]
}

export interface EstimatedBudget {
  readonly counter: string
  /** The amount that the budget adds up. */
  readonly counts: 'charged' | 'cost'
  /** Whether the budget counts no amount beyond the hold. */
  readonly isExact: boolean
}
