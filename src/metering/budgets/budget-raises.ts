import type { BudgetId } from '../budget.ts'
import type { BudgetChange } from '../credit-store.ts'

export type BudgetRaise = Extract<BudgetChange, { readonly type: 'raise' }>

const none: readonly BudgetRaise[] = []

/** The amounts by which limits are raised or lowered, permanently or until a time. */
export class BudgetRaises {
  readonly #raises = new Map<BudgetId, readonly BudgetRaise[]>()

  /** Adds a raise. A second call with the same ID does not add it again. */
  add(raise: BudgetRaise): void {
    const { budgetId, id } = raise
    const others = (this.#raises.get(budgetId) ?? []).filter((each) => each.id !== id)
    this.#raises.set(budgetId, [...others, raise])
  }

  /** The raises of a budget that are in force at this time. */
  listAt(id: BudgetId, nowMs: number): readonly BudgetRaise[] {
    const raises = this.#raises.get(id)
    if (raises === undefined) return none
    const lasting = raises.filter(({ untilMs }) => untilMs === undefined || nowMs < untilMs)
    if (lasting.length === 0) this.#raises.delete(id)
    else if (lasting.length < raises.length) this.#raises.set(id, lasting)
    return lasting
  }

  sumAt(id: BudgetId, nowMs: number): number {
    if (!this.#raises.has(id)) return 0
    return this.listAt(id, nowMs).reduce((sum, { amount }) => sum + amount, 0)
  }
}
