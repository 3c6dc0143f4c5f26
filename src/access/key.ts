import type { Tags } from '../canonical/tags.ts'
import type { Branded } from '../kit/brand.ts'
import type { BudgetTerms } from './limits/budget-terms.ts'
import type { RateTerms } from './limits/rate-schema.ts'
import type { ModelGrant, Permission } from './permission.ts'

export type KeyId = Branded<string, 'KeyId'>
/** Hex of HMAC-SHA-256(pepper, SHA-256(secret)): the only form in which a key's secret is kept. */
export type KeyDigest = Branded<string, 'KeyDigest'>

/**
 * The terms that a group may give every new key: what the key may do, how much it may use, and how its use is labelled.
 */
export interface InheritedTerms {
  readonly permission: ModelGrant
  /** The person or program that the key belongs to. */
  readonly user: string | undefined
  readonly allowIps: readonly string[]
  /** Whether it may see where a request would go, which names channels and credentials. */
  readonly dryRun: boolean
  readonly budgets: readonly BudgetTerms[]
  readonly rate: RateTerms | undefined
  readonly tags: Tags
  /** Whether its callers may give tags of their own. */
  readonly callerTags: boolean
  /** The budget that each customer of the key's callers gets. */
  readonly endUserBudget: BudgetTerms | undefined
  /** The channels whose own paths it may ask under /passthrough. */
  readonly passthrough: readonly string[]
}

export interface KeyTerms extends InheritedTerms {
  /** A name that no other key has that is not revoked. */
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

/** A caller's key, as it is stored. */
export interface Key extends KeyTerms {
  readonly id: KeyId
  readonly digest: KeyDigest
  /** The first characters of the secret, to tell keys apart; empty for keys whose secret we did not make. */
  readonly hint: string
  /** The secret before this one, while it still works beside it. */
  readonly previous: PreviousSecret | undefined
  readonly revokedAtMs: number | undefined
  readonly createdAtMs: number
  /** `bootstrap` keys belong to the configuration file; the others to the store. */
  readonly origin: 'made' | 'bootstrap'
}

export interface PreviousSecret {
  readonly digest: KeyDigest
  readonly validUntilMs: number
}

/** The authenticated sender of a request: a key with what its group says of it. */
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
  /** Whether a request may have more tags, of its sender's choice. */
  readonly callerTags: boolean
  /** The key's own budgets; `createLimitIndex` knows all that apply. */
  readonly budgets: readonly BudgetTerms[]
  /** The budget that each customer whom a request names gets. */
  readonly endUserBudget: BudgetTerms | undefined
  /** The key's own rate limit. */
  readonly rate: RateTerms | undefined
  /** The charge to the caller for each million of what the provider asks. */
  readonly multiplierPpm: number
  /** The channels whose own paths it may ask under /passthrough. */
  readonly passthrough: readonly string[]
}
