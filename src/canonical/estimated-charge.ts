import type { LedgerRowId } from '../kit/random/ids.ts'

/** The terms that correct a row of the ledger whose usage was not seen. */
export interface EstimatedCharge {
  readonly rowId: LedgerRowId
  readonly requestId: string
  /** The charge for each million of the cost. */
  readonly multiplierPpm: number
  /** The budgets that count the row. */
  readonly budgets: readonly EstimatedBudget[]
}

export interface EstimatedBudget {
  readonly counter: string
  /** The amount that the budget adds up. */
  readonly counts: 'charged' | 'cost'
  /** Whether the budget counts nothing that was not held before. */
  readonly isExact: boolean
}
