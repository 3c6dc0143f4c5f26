import type { InheritedTerms } from './key.ts'
import type { BudgetTerms } from './limits/budget-terms.ts'
import type { RateTerms } from './limits/rate-schema.ts'
import type { ModelGrant } from './permission.ts'

/** The multiplier that changes nothing: a million of a million. */
export const NO_MULTIPLIER_PPM = 1_000_000

/** Keys that are managed together. */
export interface Group {
  readonly name: string
  /** The most that its keys may use. */
  readonly permission: ModelGrant
  /** The charge to its keys for each million of what the provider asks. */
  readonly multiplierPpm: number
  /** The budgets of all the group's keys together. */
  readonly budgets: readonly BudgetTerms[]
  readonly rate: RateTerms | undefined
  readonly keyDefaults: KeyDefaults
  /** The channels whose own paths its keys may ask, as far as each is granted them itself. */
  readonly passthrough: readonly string[]
}

/** The defaults of a key that is created in the group. */
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
