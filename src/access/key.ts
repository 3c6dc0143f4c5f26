import type { Tags } from '../canonical/tags.ts'
import type { Branded } from '../kit/brand.ts'
import type { BudgetTerms } from './limits/budget-terms.ts'
import type { RateTerms } from './limits/rate-schema.ts'
import type { ModelGrant, Permission } from './permission.ts'

export type KeyId = Branded<string, 'KeyId'>
/** HMAC-SHA-256(pepper, SHA-256(secret)) in hex. A key's secret is stored in no other form. */
export type KeyDigest = Branded<string, 'KeyDigest'>

/**
 * The terms that a group may give every new key: which models it may use, how much it may use, and how its usage is
 * labeled.
 */
export interface InheritedTerms {
  readonly permission: ModelGrant
  /** The user that the key belongs to: a person or a program. */
  readonly user: string | undefined
  readonly allowIps: readonly string[]
  /** Whether the key may make dry runs. They show the route of a request and so name channels and credentials. */
  readonly dryRun: boolean
  readonly budgets: readonly BudgetTerms[]
  readonly rate: RateTerms | undefined
  readonly tags: Tags
  /** Whether callers may add their own tags to a request. */
  readonly callerTags: boolean
  /** The budget that each end user of the key's callers gets. */
  readonly endUserBudget: BudgetTerms | undefined
  /** The channels whose own paths the key may call under `/passthrough`. */
  readonly passthrough: readonly string[]
}

export interface KeyTerms extends InheritedTerms {
  /** A name that no other key has, revoked keys excepted. */
  readonly name: string
  readonly group: string | undefined
  readonly expiresAtMs: number | undefined
  readonly disabled: boolean
}

export const keyTermNames = [
  'name',
  'permission',
  'user',
  'group',
  'allowIps',
  'expiresAtMs',
  'disabled',
  'dryRun',
  'budgets',
  'rate',
  'tags',
  'callerTags',
  'endUserBudget',
  'passthrough',
] as const satisfies readonly (keyof KeyTerms)[]

/** A caller's key as it is stored. */
export interface Key extends KeyTerms {
  readonly id: KeyId
  readonly digest: KeyDigest
  /** The first characters of the secret, to distinguish keys. Empty for keys whose secret Headgate did not make. */
  readonly hint: string
  /** The previous secret, while it is still valid next to the current one. */
  readonly previous: PreviousSecret | undefined
  readonly revokedAtMs: number | undefined
  readonly createdAtMs: number
  /** The configuration file owns `bootstrap` keys. The store owns `made` keys. */
  readonly origin: 'made' | 'bootstrap'
}

export interface PreviousSecret {
  readonly digest: KeyDigest
  readonly validUntilMs: number
}

/** The authenticated sender of a request: a key together with the terms of its group. */
export interface Caller {
  readonly keyId: KeyId
  readonly keyName: string
  readonly user: string | undefined
  readonly group: string | undefined
  readonly expiresAtMs: number | undefined
  readonly permission: Permission
  readonly mayDryRun: boolean
  /** The tags that every request of the key carries. */
  readonly tags: Tags
  /** Whether the sender may add tags of its own to a request. */
  readonly callerTags: boolean
  /** The key's own budgets. `createLimitIndex` knows every budget that applies. */
  readonly budgets: readonly BudgetTerms[]
  /** The budget that each end user named in a request gets. */
  readonly endUserBudget: BudgetTerms | undefined
  /** The key's own rate limit. */
  readonly rate: RateTerms | undefined
  /** The multiplier on the provider's price, in parts per million, that is charged to the caller. */
  readonly multiplierPpm: number
  /** The channels whose own paths the caller may call under `/passthrough`. */
  readonly passthrough: readonly string[]
}
