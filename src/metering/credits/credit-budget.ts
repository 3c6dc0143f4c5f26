import type { Caller } from '../../access/key.ts'
import type { NanoDollars } from '../../canonical/money.ts'
import { brand } from '../../kit/brand.ts'
import { type Budget, type BudgetId, type BudgetScope, writeScope } from '../budget.ts'
import type { CreditGrant } from '../credit-store.ts'
import type { AppliedBudget } from '../meter.ts'

/** A budget that gets its amount from grants instead of a limit. */
export interface CreditBudget extends Budget {
  /** The oldest grant comes first. */
  readonly grants: readonly CreditGrant[]
}

export function isCredit(budget: Budget): budget is CreditBudget {
  return 'grants' in budget
}

export type CreditHolder = Pick<Caller, 'keyId' | 'user' | 'group'>

/** The current credits. A key, user or group that was ever granted credit can spend no more than its credit. */
export class CreditBudgets {
  /** The budgets by the configuration's spelling of their scope. The scope of a key has the ID of the key. */
  readonly #byScope = new Map<string, CreditBudget>()
  /** Whether there has never been a grant. */
  isEmpty = true

  constructor(grants: readonly CreditGrant[] = []) {
    for (const grant of grants) this.add(grant)
  }

  /** Adds a grant, from the next request on. A grant with a known ID is not added twice. */
  add(grant: CreditGrant): void {
    const scope = writeScope(grant.scope)
    const granted = this.#byScope.get(scope)?.grants ?? []
    if (granted.some(({ id }) => id === grant.id)) return
    const grants = [...granted, grant]
    this.#byScope.set(scope, createCreditBudget(grant.scope, grants))
    this.isEmpty = false
  }

  get all(): readonly CreditBudget[] {
    return [...this.#byScope.values()]
  }

  of(scope: BudgetScope): CreditBudget {
    return this.#byScope.get(writeScope(scope)) ?? createCreditBudget(scope, [])
  }

  ofCaller({ keyId, user, group }: CreditHolder): readonly AppliedBudget[] {
    const budgets = [
      this.#byScope.get(`key:${keyId}`),
      user === undefined ? undefined : this.#byScope.get(`user:${user}`),
      group === undefined ? undefined : this.#byScope.get(`group:${group}`),
    ]
    return budgets.flatMap((budget) => (budget === undefined ? [] : [{ budget }]))
  }
}

function createCreditBudget(scope: BudgetScope, grants: readonly CreditGrant[]): CreditBudget {
  const written = writeScope(scope)
  return {
    id: brand<BudgetId>(`credit/${written}`),
    name: `credit:${written}`,
    scope,
    grants,
    // A placeholder: the meter calculates the limit from the grants.
    limit: brand<NanoDollars>(0),
    window: { type: 'total' },
    mode: 'exact',
    atLimit: { type: 'clamp' },
    warnAt: [],
  }
}
