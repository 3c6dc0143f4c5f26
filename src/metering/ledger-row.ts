import type { KeyId } from '../access/key.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { Usage } from '../canonical/usage.ts'
import type { PriceTier, PriceVersionId } from '../catalog/prices/price.ts'
import type { LedgerRowId } from '../kit/random/ids.ts'
import type { CountedSum } from './budget.ts'
import type { Epoch } from './leases/epoch.ts'

/**
 * A window of a budget: the ID of the budget and the start of the window. For a budget of each value of a tag, the ID
 * is followed by the value.
 */
export interface CounterKey {
  readonly counter: string
  /** The start in milliseconds since 1970. A rolling window is a series of buckets, each with its own start. */
  readonly windowStartMs: number
  /** The time from which the counted amount no longer limits anything; undefined if the window never ends. */
  readonly windowEndMs: number | undefined
}

/** The amount that a row adds to one budget. */
export interface CountedAmount extends CounterKey {
  readonly amount: NanoDollars
}

/** The maximum amount of an attempt for one budget. */
export interface HeldAmount extends CountedAmount {
  /** The sum that the budget adds up. With it a crash can be settled even if the budget is no longer configured. */
  readonly counts: CountedSum
}

/** The subject of an attempt. It is the same in an intent and in the row that settles the intent. */
export interface LedgerSubject {
  readonly id: LedgerRowId
  readonly requestId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  readonly keyId: KeyId
  readonly keyName: string
  /** The name of the key's user. It is not the ID of a person who signs in. */
  readonly userName: string | undefined
  readonly group: string | undefined
  readonly tags: Readonly<Record<string, string>>
  /** The public name that was requested. */
  readonly model: string
  readonly channel: string
  readonly upstreamModel: string
  /** Undefined where the model has no price. */
  readonly priceVersion: PriceVersionId | undefined
  readonly startedAtMs: number
}

/** The maximum cost of a call whose usage is unknown until it ends. */
export interface UnseenCost {
  readonly cost: NanoDollars
  readonly charged: NanoDollars
  /** Whether the call was not made yet. The first checkpoint says that it was made. */
  readonly isAhead: boolean
}

/**
 * An attempt that may be billed, written before any part of its answer is sent. After a crash, it is settled from its
 * last checkpoint.
 */
export interface LedgerIntent extends LedgerSubject {
  readonly expiresAtMs: number
  /** The worst case, held in every budget. */
  readonly held: readonly HeldAmount[]
  /** The minimum of input tokens, by our own count. After a crash without a checkpoint, these tokens are charged. */
  readonly inputTokens: number
  readonly multiplierPpm: number
  /** Set where a call shows no usage before its end. After a crash, the call costs these amounts. */
  readonly unseen?: UnseenCost | undefined
  /** The epoch of this process in which the amounts are held; undefined where no other process shares the budgets. */
  readonly epoch?: Epoch | undefined
}

/** The progress of a live answer. */
export interface LedgerCheckpoint {
  readonly id: LedgerRowId
  readonly outputTokens: number
}

/**
 * The cost of one attempt. A row never changes. A correction is a separate row with the names and times of the row that
 * it corrects. The numbers of a correction are added to that row, and may be negative.
 */
export interface LedgerRow extends LedgerSubject {
  /** `void`: nothing was billed. `estimated`: at least one number is our own estimate. */
  readonly state: 'settled' | 'estimated' | 'void'
  readonly endedAtMs: number
  readonly tier: PriceTier
  readonly usage: Usage
  /** The amount that the provider bills. */
  readonly cost: NanoDollars
  /** The amount that the caller pays: at most the held amount. */
  readonly charged: NanoDollars
  readonly counted: readonly CountedAmount[]
  readonly flags: LedgerFlags
}

export interface LedgerFlags {
  /** The output cap was lowered to fit a budget. */
  readonly clamped?: true
  /** The attempt did not end as its caller wanted. */
  readonly failed?: true
  /** The provider reported no usage. */
  readonly usageMissing?: true
  /** The answer of this attempt, or of the previous one, was joined from two attempts. */
  readonly recovered?: true
  readonly unpriced?: true
  /** True where the row was settled after a crash. */
  readonly orphaned?: true
  /** The ID of the row that this row corrects. The store holds at most one correction for each row. */
  readonly corrects?: LedgerRowId
}

/** The names of the flags in the admin API and in exports. The ID of the corrected row is a separate field. */
export const flagNames = [
  ['clamped', 'clamped'],
  ['failed', 'failed'],
  ['usageMissing', 'usage_missing'],
  ['recovered', 'recovered'],
  ['unpriced', 'unpriced'],
  ['orphaned', 'orphaned'],
] as const satisfies readonly (readonly [keyof LedgerFlags, string])[]
