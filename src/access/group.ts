import type { InheritedTerms } from './key.ts'
import type { BudgetTerms } from './limits/budget-terms.ts'
import type { RateTerms } from './limits/rate-schema.ts'
import type { ModelGrant } from './permission.ts'

/** The multiplier that changes nothing: a million of a million. */
export const NO_MULTIPLIER_PPM = 1_000_000

/** Keys that are managed together. */
export interface Group {
  readonly name: string
  /** The limit on the models that its keys may use. */
  readonly permission: ModelGrant
  /** The multiplier on the provider's price, in parts per million, that is charged to the group's keys. */
  readonly multiplierPpm: number
  /** The budgets that all keys of the group share. */
  readonly budgets: readonly BudgetTerms[]
  readonly rate: RateTerms | undefined
  readonly keyDefaults: KeyDefaults
  /** The channels whose own paths the group's keys may call. Each key must be granted the channel as well. */
  readonly passthrough: readonly string[]
}

/** The defaults of a key that is created in the group. */
export interface KeyDefaults {
  /** The lifetime of a key, measured from its creation. */
  readonly expiresAfterMs: number | undefined
  readonly terms: Partial<InheritedTerms>
}

/** A person or a program that several keys belong to. */
export interface UserTerms {
  readonly name: string
  readonly budgets: readonly BudgetTerms[]
  readonly rate: RateTerms | undefined
}
