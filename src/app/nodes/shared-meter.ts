// Budgets that several nodes share: the meter with its leases, the start of a new epoch of this node, and the estimates
// for attempts that dead nodes left open.
import type { FindPriceVersion } from '../../catalog/prices/find-price.ts'
import type { Clock, Timer } from '../../kit/time/clock.ts'
import { BudgetMeter, type MeterOptions } from '../../metering/budgets/budget-meter.ts'
import type { BudgetChange, CreditStore } from '../../metering/credit-store.ts'
import type { CreditBudgets } from '../../metering/credits/credit-budget.ts'
import { BudgetLeases } from '../../metering/leases/budget-leases.ts'
import type { Epoch } from '../../metering/leases/epoch.ts'
import { settleOrphan } from '../../metering/ledger/settle-orphan.ts'
import { createFaultSeries, type FaultSeries } from './fault-series.ts'
import type { SharedNode } from './shared-node.ts'
import type { SharedState } from './shared-state.ts'

export interface SharedMeterOptions {
  readonly shared: Pick<SharedState, 'meterStore' | 'calls' | 'ledger' | 'work'> & {
    readonly node: Pick<SharedNode, 'epoch' | 'validUntilMs' | 'restart'>
  }
  readonly clock: Clock
  readonly events: Pick<MeterOptions, 'onThreshold' | 'onDecision'>
  readonly creditStore: Pick<CreditStore, 'loadCredits'>
  readonly credits: CreditBudgets
  readonly warn: (message: string) => void
}

const ORPHANS_EVERY_MS = 15_000

export class SharedMeter {
  readonly meter: BudgetMeter
  readonly leases: BudgetLeases
  readonly #options: SharedMeterOptions
  readonly #faults: FaultSeries
  readonly #known = new Set<BudgetChange['id']>()
  #findPrice: FindPriceVersion = () => undefined
  #timer: Timer | undefined
  #settling: Promise<void> = Promise.resolve()
  #isStopped = false

  constructor(options: SharedMeterOptions) {
    const { shared, clock, events, warn } = options
    this.#options = options
    this.#faults = createFaultSeries('attempts that dead nodes left unsettled could not be settled', warn)
    this.leases = new BudgetLeases({
      store: shared.meterStore,
      clock,
      nowMs: clock.nowMs,
      askOthers: (counters) => shared.calls.announceNeed(counters),
      onEpochEnded: () => shared.node.restart(),
    })
    const { onFreed, onCorrected } = this.leases
    this.meter = new BudgetMeter({ ...events, clock, isShared: true, onFreed, onCorrected })
  }

  /** Starts with the sums of the ledger, and takes part from then on. */
  async start(findPrice: FindPriceVersion): Promise<void> {
    this.#findPrice = findPrice
    const { node } = this.#options.shared
    await this.begin(node.epoch(), node.validUntilMs)
    this.#schedule()
  }

  /** Begins an epoch of this node, without any holds and leases. */
  async begin(epoch: Epoch, validUntilMs: number): Promise<void> {
    const { shared, clock } = this.#options
    const { counters } = await shared.ledger.load(clock.nowMs())
    this.#known.clear()
    this.meter.restart(counters)
    await this.reloadCredits()
    this.leases.begin(epoch, this.meter, validUntilMs)
  }

  /** Applies each grant and change once. */
  async reloadCredits(): Promise<void> {
    const { creditStore, credits, clock } = this.#options
    const { grants, changes } = await creditStore.loadCredits(clock.nowMs())
    for (const grant of grants) credits.add(grant)
    for (const change of changes) this.apply(change)
  }

  /** Applies a change, unless it was applied already: this node's own changes come back with those of others. */
  apply(change: BudgetChange): void {
    if (this.#known.has(change.id)) return
    this.#known.add(change.id)
    this.meter.apply(change)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#timer?.cancel()
    await this.#settling
    await this.leases.stop()
  }

  #schedule(): void {
    if (this.#isStopped) return
    this.#timer = this.#options.clock.startTimer(ORPHANS_EVERY_MS, () => {
      this.#settling = this.#settleOrphans().then(this.#faults.succeeded, this.#faults.failed)
      void this.#settling.then(() => this.#schedule())
    })
  }

  /** Two nodes that do this at the same time write the same rows, and the ledger accepts only one of each. */
  async #settleOrphans(): Promise<void> {
    const { shared, clock, warn } = this.#options
    if (!shared.work.isMine()) return
    const orphans = await shared.ledger.findOrphans()
    if (orphans.length === 0) return
    const rows = orphans.map((open) => {
      const { priceVersion } = open.intent
      const price = priceVersion === undefined ? undefined : this.#findPrice(priceVersion)
      return settleOrphan(open, { price, nowMs: clock.nowMs() })
    })
    await shared.ledger.commit({ intents: [], checkpoints: [], rows })
    warn(
      `a node that is gone left ${rows.length} attempts unsettled; the ledger has an estimate of each, from how far its answer had come`,
    )
  }
}
