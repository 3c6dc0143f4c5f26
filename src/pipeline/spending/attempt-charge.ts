import { multiplyPpm, type NanoDollars } from '../../canonical/money.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import { noUsage, type Usage } from '../../canonical/usage.ts'
import { costOf } from '../../catalog/prices/cost-of.ts'
import type { PriceTier, PriceVersion } from '../../catalog/prices/price.ts'
import { billedTier } from '../../catalog/prices/tier-of.ts'
import type { Clock } from '../../kit/time/clock.ts'
import { brand } from '../../kit/values/brand.ts'
import type { LedgerFlags, LedgerRow, LedgerSubject } from '../../metering/ledger-row.ts'
import type { Hold } from '../../metering/meter.ts'
import type { Spending } from './spending.ts'

const nothing = brand<NanoDollars>(0)

/** What one call came to, as far as money goes. */
export interface SpentCall {
  readonly usage: Usage | undefined
  readonly servedTier: ServedTier | undefined
  /** Whether the caller pays: the answer was whole, something of it was shown, or the caller left while it was made. */
  readonly isCharged: boolean
  readonly isFailed?: boolean
  readonly isRecovered?: boolean
}

export interface Spent {
  /** Undefined where the model has no price. */
  readonly cost: NanoDollars | undefined
  readonly charged: NanoDollars
  /** Fulfilled once the row is durable, where that is waited for. */
  readonly durable: Promise<void> | undefined
}

export interface AttemptChargeOptions {
  readonly subject: LedgerSubject
  readonly price: PriceVersion | undefined
  /** Undefined where no budget applies. */
  readonly hold: Hold | undefined
  readonly multiplierPpm: number
  readonly isClamped: boolean
  /** Whether the answer is made after the request has ended, so that nothing here sees what it uses. */
  readonly isBackground: boolean
  readonly ledger: Pick<Spending['ledger'], 'record' | 'follow'>
  readonly clock: Pick<Clock, 'nowMs'>
}

interface PricedUsage {
  readonly usage: Usage
  readonly tier: PriceTier
  readonly cost: NanoDollars
}

/** What is held for one attempt, until it is settled with what the attempt came to. */
export class AttemptCharge implements Disposable {
  readonly #options: AttemptChargeOptions
  #priced: PricedUsage | undefined
  #spent: Spent | undefined

  constructor(options: AttemptChargeOptions) {
    this.#options = options
  }

  /** Has checkpoints written of how far the answer has come, from which a crash is settled. */
  follow(readTokens: () => number): void {
    const { ledger, subject } = this.#options
    ledger.follow(subject.id, readTokens)
  }

  /**
   * What an answer costs, before it is settled; undefined where its model has no price or it names no usage. It is
   * computed once, so that the row says what the caller has seen.
   */
  costOf(usage: Usage | undefined, servedTier: ServedTier | undefined): NanoDollars | undefined {
    const { price, clock } = this.#options
    if (usage === undefined || price === undefined) return undefined
    const tier = billedTier(usage, servedTier)
    if (this.#priced?.usage === usage && this.#priced.tier === tier) return this.#priced.cost
    const cost = costOf(usage, price, { tier, atMs: clock.nowMs(), region: usage.region })
    this.#priced = { usage, tier, cost }
    return cost
  }

  /** Ends the hold and writes the row. A second call changes nothing. */
  settle(call: SpentCall): Spent {
    this.#spent ??= this.#settle(call)
    return this.#spent
  }

  /** An attempt that was never settled asked no provider for anything. */
  [Symbol.dispose](): void {
    this.settle({ usage: undefined, servedTier: undefined, isCharged: false })
  }

  #settle(call: SpentCall): Spent {
    const { hold, multiplierPpm, ledger, price } = this.#options
    // What nothing sees may come to all that was held for it.
    const unseen = this.#isUnseen(call) ? hold?.worst : undefined
    const cost = unseen?.cost ?? this.costOf(call.usage, call.servedTier) ?? nothing
    const asked = unseen?.charged ?? (call.isCharged ? multiplyPpm(cost, multiplierPpm) : nothing)
    const charged = brand<NanoDollars>(Math.min(asked, hold?.mostCharged ?? asked))
    const counted = hold?.settle({ cost, charged }) ?? []
    const durable = ledger.record({ ...this.#describe(call), cost, charged, counted })
    // Only some callers of this wait for it.
    durable?.catch(() => undefined)
    return price === undefined ? { cost: undefined, charged, durable } : { cost, charged, durable }
  }

  #isUnseen({ usage, isCharged }: SpentCall): boolean {
    return this.#options.isBackground && isCharged && usage?.estimated !== false
  }

  #describe(call: SpentCall): Omit<LedgerRow, 'cost' | 'charged' | 'counted'> {
    const { subject, clock, price, isClamped } = this.#options
    const { usage, servedTier, isCharged, isFailed, isRecovered } = call
    const isMissing = (usage === undefined && isCharged) || this.#isUnseen(call)
    const flags: LedgerFlags = {
      ...(isClamped && { clamped: true }),
      ...(isFailed === true && { failed: true }),
      ...(isMissing && { usageMissing: true }),
      ...(isRecovered === true && { recovered: true }),
      ...(price === undefined && { unpriced: true }),
    }
    return {
      ...subject,
      state: stateOf(usage, isCharged),
      endedAtMs: clock.nowMs(),
      tier: billedTier(usage, servedTier),
      usage: usage ?? noUsage,
      flags,
    }
  }
}

function stateOf(usage: Usage | undefined, isCharged: boolean): LedgerRow['state'] {
  if (usage === undefined) return isCharged ? 'estimated' : 'void'
  return usage.estimated ? 'estimated' : 'settled'
}
