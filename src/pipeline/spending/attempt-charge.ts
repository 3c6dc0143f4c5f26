import type { EstimatedCharge } from '../../canonical/estimated-charge.ts'
import { multiplyPpm, type NanoDollars } from '../../canonical/money.ts'
import type { ServedTier } from '../../canonical/served-tier.ts'
import { noUsage, type Usage } from '../../canonical/usage.ts'
import { costOf } from '../../catalog/prices/cost-of.ts'
import type { PriceTier, PriceVersion } from '../../catalog/prices/price.ts'
import { billedTier } from '../../catalog/prices/tier-of.ts'
import { brand } from '../../kit/brand.ts'
import type { Clock } from '../../kit/time/clock.ts'
import type { FollowedAnswer } from '../../metering/ledger/live-answers.ts'
import type { LedgerFlags, LedgerRow, LedgerSubject } from '../../metering/ledger-row.ts'
import type { HeldResult, Hold } from '../../metering/meter.ts'
import type { SpentAmount } from '../exchange/answer-cost.ts'
import { type CallEnding, isCharged } from '../exchange/call-ending.ts'
import type { Spending } from './spending.ts'

const nothing = brand<NanoDollars>(0)

/** The outcome of one call with the facts that its cost depends on. */
export interface SpentCall {
  readonly usage: Usage | undefined
  readonly servedTier: ServedTier | undefined
  readonly ending: CallEnding
}

export interface Spent {
  /** Undefined where the model has no price. */
  readonly amount: SpentAmount | undefined
  /** Fulfilled once the row is durable; undefined where nothing waits for that. */
  readonly durable: Promise<void> | undefined
}

export interface AttemptChargeOptions {
  readonly subject: LedgerSubject
  readonly price: PriceVersion | undefined
  /** Undefined where no budget applies. */
  readonly held: HeldResult | undefined
  /** The amounts of an answer whose usage stays unknown, where no budget applies. Undefined charges nothing. */
  readonly unheld?: Hold['worst'] | undefined
  readonly multiplierPpm: number
  /** Whether the answer is made after the request has ended, so that its usage is not visible here. */
  readonly isBackground: boolean
  readonly ledger: Pick<Spending['ledger'], 'record' | 'follow' | 'hurry'>
  readonly clock: Pick<Clock, 'nowMs'>
}

interface PricedUsage {
  readonly usage: Usage
  readonly tier: PriceTier
  readonly cost: NanoDollars
}

/** The hold of one attempt, until the attempt's actual cost settles it. */
export class AttemptCharge implements Disposable {
  readonly #options: AttemptChargeOptions
  /** The amounts of an answer whose usage stays unknown. They are computed while the request's body is in memory. */
  readonly #unseen: Hold['worst'] | undefined
  #priced: PricedUsage | undefined
  #spent: Spent | undefined
  #followed: FollowedAnswer | undefined
  #readTokens = (): number => 0

  constructor(options: AttemptChargeOptions) {
    this.#options = options
    this.#unseen = options.isBackground ? (options.held?.hold.worst ?? options.unheld) : undefined
  }

  /** The output cap, if a budget lowers it. */
  get maxOutputTokens(): number | undefined {
    const { held } = this.#options
    return held?.isClamped === true ? held.maxOutputTokens : undefined
  }

  /** The terms by which the row is corrected if it is an estimate. */
  get estimate(): EstimatedCharge {
    const { subject, held, multiplierPpm } = this.#options
    const budgets = held?.hold.estimated ?? []
    return { rowId: subject.id, requestId: subject.requestId, multiplierPpm, budgets }
  }

  /** Asks for the intent to be written soon, because the answer waits for it. */
  hurry(): void {
    const { ledger, subject } = this.#options
    ledger.hurry(subject.id)
  }

  /** Starts checkpoints of the answer's progress. After a crash, the answer is settled from them. */
  follow(readTokens: () => number): void {
    const { ledger, subject } = this.#options
    this.#readTokens = readTokens
    // A second call for the same attempt continues the same answer.
    this.#followed ??= ledger.follow(subject.id, () => this.#readTokens())
  }

  /**
   * The cost of an answer before it is settled; undefined where its model has no price or the answer states no usage.
   * It is calculated once, so that the row says what the caller has seen.
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

  /** The cost that the caller of an answer is shown. The cost of an answer that is made later is not known yet. */
  shownCostOf(usage: Usage | undefined, servedTier: ServedTier | undefined): NanoDollars | undefined {
    const isLater = this.#options.isBackground && usage?.isEstimated !== false
    return isLater ? undefined : this.costOf(usage, servedTier)
  }

  /** Ends the hold and writes the row. A second call changes nothing. */
  settle(call: SpentCall): Spent {
    this.#spent ??= this.#settle(call)
    return this.#spent
  }

  /** Settles an attempt that was never settled, which therefore called no provider. */
  [Symbol.dispose](): void {
    this.settle({ usage: undefined, servedTier: undefined, ending: 'not-made' })
  }

  #settle(call: SpentCall): Spent {
    const { held, multiplierPpm, ledger, price } = this.#options
    const hold = held?.hold
    // A call that shows nothing may cost its worst case.
    const isUnseen = this.#isUnseen(call)
    const unseen = isUnseen ? this.#unseen : undefined
    const cost = unseen?.cost ?? this.costOf(call.usage, call.servedTier) ?? nothing
    const mayCharge = isCharged(call.ending) && price !== undefined
    const uncapped = unseen?.charged ?? (mayCharge ? multiplyPpm(cost, multiplierPpm) : nothing)
    const charged = brand<NanoDollars>(Math.min(uncapped, hold?.maxCharged ?? uncapped))
    const counted = hold?.settle({ cost, charged }) ?? []
    const row = this.#describe(call, { cost, charged, counted })
    // Another process may correct the row as soon as the request is answered.
    const durable = ledger.record(row, this.#followed, isUnseen)
    // A failure is ignored here, since only some callers of this method wait for the write.
    durable?.catch(() => undefined)
    return { amount: price === undefined ? undefined : { cost, charged }, durable }
  }

  #isUnseen({ usage, ending }: SpentCall): boolean {
    return this.#options.isBackground && isCharged(ending) && usage?.isEstimated !== false
  }

  #describe(call: SpentCall, { cost, charged, counted }: SettledAmounts): LedgerRow {
    const { subject, clock } = this.#options
    const { usage, servedTier, ending } = call
    return {
      ...subject,
      state: stateOf(usage, ending),
      endedAtMs: clock.nowMs(),
      tier: billedTier(usage, servedTier),
      usage: usage ?? noUsage,
      cost,
      charged,
      counted,
      flags: this.#flagsOf(call),
    }
  }

  #flagsOf(call: SpentCall): LedgerFlags {
    const { price, held } = this.#options
    const { usage, ending } = call
    const flags: { -readonly [Name in keyof LedgerFlags]: LedgerFlags[Name] } = {}
    if (held?.isClamped === true) flags.clamped = true
    if (ending === 'failed' || ending === 'cut') flags.failed = true
    if ((usage === undefined && isCharged(ending)) || this.#isUnseen(call)) flags.usageMissing = true
    if (ending === 'recovered') flags.recovered = true
    if (price === undefined) flags.unpriced = true
    return flags
  }
}

type SettledAmounts = Pick<LedgerRow, 'cost' | 'charged' | 'counted'>

function stateOf(usage: Usage | undefined, ending: CallEnding): LedgerRow['state'] {
  if (usage === undefined) return isCharged(ending) ? 'estimated' : 'void'
  return usage.isEstimated ? 'estimated' : 'settled'
}
