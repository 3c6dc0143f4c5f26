import type { InheritedTerms } from './key.ts'
import type { BudgetTerms } from './limits/budget-terms.ts'
import type { RateTerms } from './limits/rate-schema.ts'
import type { ModelGrant } from './permission.ts'

/** What a million is of a million: a multiplier that changes nothing. */
export const NO_MULTIPLIER_PPM = 1_000_000

/** Keys that are managed together. */
export interface Group {
  readonly name: string
  /** What its keys may use at most. */
  readonly permission: ModelGrant
  /** What its keys are charged for a million of what the provider asks. */
  readonly multiplierPpm: number
  /** The budgets of all the group's keys together. */
  readonly budgets: readonly BudgetTerms[]
  readonly rate: RateTerms | undefined
  readonly keyDefaults: KeyDefaults
}

/** What a key that is made in the group gets where its order says nothing. */
export interface KeyDefaults {
  /** The lifetime of the key, counted from its creation. */
  readonly expiresAfterMs: number | undefined
  readonly terms: Partial<InheritedTerms>
}

/** A person or a program that several keys belong to. */
export interface UserTerms {
  readonly name: string
  readonly budgets: readonly BudgetTerms[]
  readonly rate: RateTerms | undefined
}
