import type { EstimatedBudget } from '../canonical/estimated-charge.ts'
import type { NanoDollars } from '../canonical/money.ts'
import type { Budget, CountedSum } from './budget.ts'
import type { Epoch } from './leases/epoch.ts'
import type { CountedAmount, CounterKey, HeldAmount } from './ledger-row.ts'

/** The maximum cost of an attempt, as a function of its output cap. */
export interface WorstCase {
  /** The cost that does not depend on the output: input, images, tool calls. */
  readonly fixed: NanoDollars
  /** The price of a million output tokens, for all choices together. */
  readonly outputRate: NanoDollars
  /** The caller's cap, else the model's cap; undefined where neither is known. */
  readonly maxOutputTokens: number | undefined
  /** The smallest useful output. If the budget leaves less than this, the request is refused instead of clamped. */
  readonly minOutput: number
  /** Whether the output cap of this request can be lowered. */
  readonly canClamp: boolean
  /** The charge to the caller in millionths of the cost: 1,000,000 charges exactly the cost. */
  readonly multiplierPpm: number
}

export interface HoldRequest {
  /** Every budget that applies, in any order. */
  readonly budgets: readonly AppliedBudget[]
  readonly worst: WorstCase
}

export interface AppliedBudget {
  readonly budget: Budget
  /** The value of the tag in the request, for a budget of each value; else undefined. */
  readonly tagValue?: string | undefined
}

/** An amount that is held in every budget until it is settled. A second settlement does nothing. */
export interface Hold {
  readonly amounts: readonly HeldAmount[]
  readonly maxCharged: NanoDollars
  /** The budgets, for a correction of the actual amounts. */
  readonly estimated: readonly EstimatedBudget[]
  /**
   * The worst case of the attempt. It is computed on first use, which must not come after the body of the request is
   * released.
   */
  readonly worst: Readonly<Record<CountedSum, NanoDollars>>
  /** Ends the hold with the actual amounts of the attempt. Returns the amount that each budget counted. */
  settle(actual: { readonly cost: NanoDollars; readonly charged: NanoDollars }): readonly CountedAmount[]
}

export interface HeldResult {
  readonly type: 'held'
  readonly hold: Hold
  /** The output cap to send to the upstream; undefined where no budget requires a cap. */
  readonly maxOutputTokens: number | undefined
  readonly isClamped: boolean
  /** The epoch of this process that has the hold; undefined where no other process shares the budgets. */
  readonly epoch?: Epoch | undefined
}

export type HoldResult =
  | HeldResult
  | {
      readonly type: 'refused'
      readonly budget: Budget
      /** The value of the tag that was refused, for a budget of each value. Values beyond the bounds share one name. */
      readonly tagValue: string | undefined
      /** `spent`: nothing remains. `too-small`: the remaining amount does not cover this request. */
      readonly reason: 'spent' | 'too-small'
      /** Undefined where the budget never resets. */
      readonly resetsAtMs: number | undefined
    }

/** A correction of counted amounts. A reduction stays held until the correction ends. */
export interface BudgetCorrection {
  /** The amount added to each window. A reduction omits the amount that a reset has given back already. */
  readonly counted: readonly CountedAmount[]
  /** Ends the correction when its row is durable or is known to be lost. */
  end(isDurable: boolean): void
}

/** The decisions of the meter, in the order in which they were made. */
export type BudgetDecision =
  | { readonly type: 'held'; readonly amounts: readonly HeldAmount[] }
  | {
      readonly type: 'refused'
      readonly worst: WorstCase
      /** Every window in which the request would have been held. */
      readonly windows: readonly CounterKey[]
    }
  | {
      readonly type: 'settled'
      readonly held: readonly HeldAmount[]
      readonly counted: readonly CountedAmount[]
    }
  | {
      readonly type: 'corrected'
      /** The amount added to each window; negative for a reduction. */
      readonly counted: readonly CountedAmount[]
    }
