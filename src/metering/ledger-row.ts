import type { KeyId } from '../access/key.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { Usage } from '../canonical/usage.ts'
import type { PriceTier, PriceVersionId } from '../catalog/prices/price.ts'
import type { LedgerRowId } from '../kit/random/ids.ts'
import type { CountedSum } from './budget.ts'

/** A budget's id or, for each value of a tag, the id and the value, and where the window begins. */
export interface CounterKey {
  readonly counter: string
  /** The start in milliseconds since 1970; a rolling window is a row of buckets, each with its own. */
  readonly windowStartMs: number
  /** The moment from which what was counted limits nothing; undefined if it never ends. */
  readonly windowEndMs: number | undefined
}

/** The amount that a row adds to one budget. */
export interface CountedAmount extends CounterKey {
  readonly amount: NanoDollars
}

/** The most that an attempt may come to, as far as one budget is concerned. */
export interface HeldAmount extends CountedAmount {
  /**
   * The sum that the budget adds up, so that a crash can be settled although the budget is gone from the configuration.
   */
  readonly counts: CountedSum
}

/** The subject of an attempt: the same in an intent and in the row that settles it. */
export interface LedgerSubject {
  readonly id: LedgerRowId
  readonly requestId: string
  /** The number of the attempt, from 1. */
  readonly attempt: number
  readonly keyId: KeyId
  readonly keyName: string
  readonly userId: string | undefined
  readonly group: string | undefined
  readonly tags: Readonly<Record<string, string>>
  /** The public name that was asked for. */
  readonly model: string
  readonly channel: string
  readonly upstreamModel: string
  /** Undefined where the model has no price. */
  readonly priceVersion: PriceVersionId | undefined
  readonly startedAtMs: number
}

/**
 * An attempt that may be billed, written before any of its answer leaves. After a crash it is settled from its last
 * checkpoint.
 */
export interface LedgerIntent extends LedgerSubject {
  readonly expiresAtMs: number
  /** The worst case, held in every budget. */
  readonly held: readonly HeldAmount[]
  /** The least input tokens by our own measure: a crash without a checkpoint charges these. */
  readonly inputTokens: number
  readonly multiplierPpm: number
  /** The life of this process in which the amounts are held; undefined where no other process shares the budgets. */
  readonly epoch?: number | undefined
}

/** The progress of a live answer. */
export interface LedgerCheckpoint {
  readonly id: LedgerRowId
  readonly outputTokens: number
}

/**
 * The cost of one attempt. A row never changes; a correction is a row of its own, with the names and times of the row
 * that it corrects. Its numbers are what is added to that row, and may be below zero.
 */
export interface LedgerRow extends LedgerSubject {
  /** `void`: nothing was billed; `estimated`: a number of it is ours. */
  readonly state: 'settled' | 'estimated' | 'void'
  readonly endedAtMs: number
  readonly tier: PriceTier
  readonly usage: Usage
  /** The amount that the provider asks. */
  readonly cost: NanoDollars
  /** The amount that the caller pays: at most what was held. */
  readonly charged: NanoDollars
  readonly counted: readonly CountedAmount[]
  readonly flags: LedgerFlags
}

export interface LedgerFlags {
  /** The output cap was lowered to fit a budget. */
  readonly clamped?: true
  /** The attempt did not end as its caller wanted. */
  readonly failed?: true
  /** The provider named no usage. */
  readonly usageMissing?: true
  /** The answer of this attempt, or the one before, was put together from two. */
  readonly recovered?: true
  readonly unpriced?: true
  /** True where the row was settled after a crash. */
  readonly orphaned?: true
  /** The row that this one corrects. The store holds at most one correction for each row. */
  readonly corrects?: LedgerRowId
}

/** The flags as the admin API and exports call them; the row that one corrects is a field of its own. */
export const flagNames = [
  ['clamped', 'clamped'],
  ['failed', 'failed'],
  ['usageMissing', 'usage_missing'],
  ['recovered', 'recovered'],
  ['unpriced', 'unpriced'],
  ['orphaned', 'orphaned'],
] as const satisfies readonly (readonly [keyof LedgerFlags, string])[]
