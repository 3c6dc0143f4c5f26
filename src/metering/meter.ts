import type { NanoDollars } from '../canonical/money.ts'
import type { Budget, CountedSum } from './budget.ts'
import type { CountedAmount, CounterKey, HeldAmount } from './ledger-row.ts'

/** The most that an attempt can cost, as far as its output cap decides it. */
export interface WorstCase {
  /** All that does not depend on the output: input, images, tool calls. */
  readonly fixed: NanoDollars
  /** The rate of a million output tokens, all choices together. */
  readonly outputRate: NanoDollars
  /** The caller's cap, else the model's; undefined where neither is known. */
  readonly maxOutputTokens: number | undefined
  /** The output below which an answer is of no use: the request is refused rather than clamped. */
  readonly minOutput: number
  /** Whether the cap of this request can be lowered. */
  readonly canClamp: boolean
  /** The charge to the caller for each million of the cost; 1,000,000 charges the cost itself. */
  readonly multiplierPpm: number
}

export interface HoldRequest {
  /** Every budget that applies, in any order. */
  readonly budgets: readonly AppliedBudget[]
  readonly worst: WorstCase
}

export interface AppliedBudget {
  readonly budget: Budget
  /** The request's value of the tag, for a budget of every value; else undefined. */
  readonly tagValue?: string | undefined
}

/** An amount that is held in every budget until it is settled. Settling it twice does nothing. */
export interface Hold {
  readonly amounts: readonly HeldAmount[]
  readonly maxCharged: NanoDollars
  /** The worst case of the attempt. */
  readonly worst: Readonly<Record<CountedSum, NanoDollars>>
  /** Ends the hold with the actual amounts of the attempt; returns the amount that each budget counted. */
  settle(actual: { readonly cost: NanoDollars; readonly charged: NanoDollars }): readonly CountedAmount[]
}

export interface HeldResult {
  readonly type: 'held'
  readonly hold: Hold
  /** The cap to send to the upstream; undefined where no budget asks for one. */
  readonly maxOutputTokens: number | undefined
  readonly isClamped: boolean
  /** The life of this process that holds it; undefined where no other process shares the budgets. */
  readonly epoch?: number | undefined
}

export type HoldResult =
  | HeldResult
  | {
      readonly type: 'refused'
      readonly budget: Budget
      /** The value of the tag that a budget of every value refused; the values beyond the bounds share one. */
      readonly tagValue: string | undefined
      /** `spent`: nothing is left; `too-small`: what is left does not hold this request. */
      readonly reason: 'spent' | 'too-small'
      /** Undefined where the budget never resets. */
      readonly resetsAtMs: number | undefined
    }

/** A correction of counted amounts. A reduction stays held until the correction ends. */
export interface BudgetCorrection {
  /** The amount added to each window. A reduction leaves out what a reset has given back already. */
  readonly counted: readonly CountedAmount[]
  /** Ends the correction, once its row is durable or is known to be lost. */
  end(isDurable: boolean): void
}

/** The decisions of the meter, in their order. */
export type BudgetDecision =
  | { readonly type: 'held'; readonly amounts: readonly HeldAmount[] }
  | {
      readonly type: 'refused'
      readonly worst: WorstCase
      /** Every window that the request would have been held in. */
      readonly windows: readonly CounterKey[]
    }
  | {
      readonly type: 'settled'
      readonly held: readonly HeldAmount[]
      readonly counted: readonly CountedAmount[]
    }
  | {
      readonly type: 'corrected'
      /** The amount added to each window; below zero for a reduction. */
      readonly counted: readonly CountedAmount[]
    }
