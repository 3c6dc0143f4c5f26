import type { Caller } from '../../access/key.ts'
import type { Tags } from '../../canonical/tags.ts'
import type { PriceVersion } from '../../catalog/prices/price.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { isLimiting } from '../../metering/budget.ts'
import type { BudgetMeter } from '../../metering/budgets/budget-meter.ts'
import { counterIdOf } from '../../metering/budgets/counter-id.ts'
import { type CallerAccount, readAccount } from '../../metering/caller-account.ts'
import type { BudgetLeases, LeasesAway } from '../../metering/leases/budget-leases.ts'
import type { LedgerQueue } from '../../metering/ledger/ledger-queue.ts'
import type { LedgerPolicy, UnpricedPolicy } from '../../metering/ledger/ledger-schema.ts'
import type { LimitIndex } from '../../metering/limit-index.ts'
import type { AppliedBudget, HoldRequest, HoldResult } from '../../metering/meter.ts'
import type { RateLimiter } from '../../metering/rates/rate-limiter.ts'

/** The spender, and the target of the spending. */
export interface SpendingSubject {
  readonly caller: Caller
  readonly tags: Tags
  /** The public name of the target that is called. */
  readonly model: string
  readonly channel: string
}

/** The facts that decide whether an attempt may begin. */
export interface BeginningFacts {
  readonly budgets: readonly AppliedBudget[]
  /** Undefined where the model has no price. */
  readonly price: PriceVersion | undefined
  /** Whether an intent must be durable before an answer leaves. */
  readonly needsIntent: boolean
}

export type LedgerRefusal = 'store-away' | 'disk-nearly-full'

/** `unpriced`: the model has no price, and a limit or the policy requires one. */
export type AttemptRefusal = LedgerRefusal | 'unpriced'

export interface SpendingOptions {
  readonly limits: LimitIndex
  readonly meter: Pick<BudgetMeter, 'hold' | 'status' | 'balance'>
  /** The leases by which other processes share the budgets; undefined where no other process does. */
  readonly leases: Pick<BudgetLeases, 'hold' | 'learnOthers'> | undefined
  readonly ledger: Pick<LedgerQueue, 'intend' | 'hurry' | 'follow' | 'record' | 'mayIntend' | 'mayServe'>
  readonly rates: Pick<RateLimiter, 'acquire' | 'status' | 'running'>
  readonly disk: { readonly level: 'ample' | 'low' | 'nearly-full' }
  readonly policy: LedgerPolicy
  readonly unpriced: UnpricedPolicy
  readonly clock: Pick<Clock, 'nowMs'>
}

/** Holds and records every attempt, under the current configuration. */
export class Spending {
  readonly #options: SpendingOptions

  constructor(options: SpendingOptions) {
    this.#options = options
  }

  get ledger(): SpendingOptions['ledger'] {
    return this.#options.ledger
  }

  get limits(): SpendingOptions['limits'] {
    return this.#options.limits
  }

  get rates(): SpendingOptions['rates'] {
    return this.#options.rates
  }

  /** Every budget that applies, whatever it is attached to. */
  findBudgets({ caller, tags, model, channel }: SpendingSubject): readonly AppliedBudget[] {
    const { limits } = this.#options
    const ofCaller = limits.callerBudgets(caller, tags)
    const ofTarget = limits.targetBudgets(model, channel)
    if (ofTarget.length === 0) return ofCaller
    return ofCaller.length === 0 ? ofTarget : [...ofCaller, ...ofTarget]
  }

  /** Holds at once, unless it has to wait for a lease. */
  hold(request: HoldRequest): HoldResult | LeasesAway | Promise<HoldResult | LeasesAway> {
    const { meter, leases, clock } = this.#options
    if (leases !== undefined) return leases.hold(request)
    return meter.hold(request, clock.nowMs())
  }

  /** The limits of a caller, and how much of them is left. Never rejects. */
  async account(caller: Caller): Promise<CallerAccount> {
    const { limits, leases } = this.#options
    await leases?.learnOthers(limits.callerBudgets(caller, caller.tags).map(counterIdOf))
    return readAccount(caller, this.#options, this.#options.clock.nowMs())
  }

  /** Whether an intent must be durable before an answer leaves. */
  needsIntent(budgets: readonly AppliedBudget[]): boolean {
    return this.isStrict || budgets.some(({ budget }) => budget.mode === 'exact')
  }

  /** Finds the reason why an attempt may not begin, before anything is held for it. */
  findRefusal({ budgets, price, needsIntent }: BeginningFacts): AttemptRefusal | undefined {
    const isLimited = budgets.some(({ budget }) => isLimiting(budget))
    if (price === undefined && (isLimited || this.#refusesUnpriced)) return 'unpriced'
    return this.#findLedgerRefusal(needsIntent, isLimited)
  }

  /**
   * While the store takes no rows, an attempt without an intent may begin for a limited time, and an attempt with an
   * intent as long as the intent may wait. While the disk is nearly full, an attempt whose row must not be lost is
   * refused.
   */
  #findLedgerRefusal(needsIntent: boolean, isLimited: boolean): LedgerRefusal | undefined {
    const { ledger, policy, disk } = this.#options
    if (disk.level === 'nearly-full' && (needsIntent || isLimited)) return 'disk-nearly-full'
    const mayBegin = needsIntent ? ledger.mayIntend : ledger.mayServe(policy.serveWithoutStoreMs)
    return mayBegin ? undefined : 'store-away'
  }

  /** Whether any request can be served. */
  get isOpen(): boolean {
    if (this.isStrict && !this.#options.ledger.mayServe(0)) return false
    return this.#findLedgerRefusal(this.isStrict, false) === undefined
  }

  /** Whether each answer waits until its rows are durable. */
  get isStrict(): boolean {
    return this.#options.policy.durability === 'strict'
  }

  /** Whether a model without a price is refused. */
  get #refusesUnpriced(): boolean {
    return this.#options.unpriced === 'refuse'
  }
}
