import type { Caller } from '../../access/key.ts'
import type { Tags } from '../../canonical/tags.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { BudgetMeter } from '../../metering/budget-meter.ts'
import { type CallerAccount, readAccount } from '../../metering/caller-account.ts'
import type { LedgerQueue } from '../../metering/ledger-queue.ts'
import type { LedgerPolicy, UnpricedPolicy } from '../../metering/ledger-schema.ts'
import type { LimitIndex } from '../../metering/limit-index.ts'
import type { AppliedBudget, HoldRequest, HoldResult } from '../../metering/meter.ts'
import type { RateLimiter } from '../../metering/rate-limiter.ts'

/** Who spends, and on what. */
export interface SpendingSubject {
  readonly caller: Caller
  readonly tags: Tags
  /** The public name of the target that is asked. */
  readonly model: string
  readonly channel: string
}

export interface SpendingOptions {
  readonly limits: LimitIndex
  readonly meter: Pick<BudgetMeter, 'hold' | 'status' | 'balance'>
  readonly ledger: Pick<LedgerQueue, 'intend' | 'follow' | 'record' | 'mayServe'>
  readonly rates: Pick<RateLimiter, 'take' | 'status' | 'running'>
  readonly policy: LedgerPolicy
  readonly unpriced: UnpricedPolicy
  readonly clock: Pick<Clock, 'nowMs'>
}

/** Where every attempt is held and recorded, by the configuration of this moment. */
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

  /** Every budget that applies, whatever it stands on. */
  findBudgets({ caller, tags, model, channel }: SpendingSubject): readonly AppliedBudget[] {
    const { limits } = this.#options
    const ofCaller = limits.callerBudgets(caller, tags)
    const ofTarget = limits.targetBudgets(model, channel)
    if (ofTarget.length === 0) return ofCaller
    return ofCaller.length === 0 ? ofTarget : [...ofCaller, ...ofTarget]
  }

  hold(request: HoldRequest): HoldResult {
    const { meter, clock } = this.#options
    return meter.hold(request, clock.nowMs())
  }

  /** What limits a caller, and what is left of it. */
  account(caller: Caller): CallerAccount {
    return readAccount(caller, this.#options, this.#options.clock.nowMs())
  }

  /** Whether rows can be written or, for an attempt that needs no intent, could be until a short while ago. */
  mayServe(needsIntent: boolean): boolean {
    const { ledger, policy } = this.#options
    return ledger.mayServe(needsIntent ? 0 : policy.serveWithoutStoreMs)
  }

  /** Whether each answer waits until its rows are durable. */
  get isStrict(): boolean {
    return this.#options.policy.durability === 'strict'
  }

  /** Whether a model without a price is refused. */
  get refusesUnpriced(): boolean {
    return this.#options.unpriced === 'refuse'
  }
}
