// Metering: the ledger with its queue, the meter based on it, and the limits of the configuration.

import { channel } from 'node:diagnostics_channel'
import { OperatorError } from '../canonical/operator-error.ts'
import type { CatalogSource } from '../catalog/catalog.ts'
import type { Config } from '../config/config.ts'
import type { Clock } from '../kit/time/clock.ts'
import type { Budget } from '../metering/budget.ts'
import { BudgetMeter, type MeterOptions } from '../metering/budgets/budget-meter.ts'
import { counterIdOf } from '../metering/budgets/counter-id.ts'
import type { BudgetChange, CreditStore } from '../metering/credit-store.ts'
import { CreditBudgets } from '../metering/credits/credit-budget.ts'
import { KeyUsage } from '../metering/key-usage.ts'
import { Corrections } from '../metering/ledger/corrections.ts'
import { LedgerMaintenance } from '../metering/ledger/ledger-maintenance.ts'
import { LedgerQueue } from '../metering/ledger/ledger-queue.ts'
import { recoverLedger } from '../metering/ledger/recover-ledger.ts'
import type { LedgerReader } from '../metering/ledger-reader.ts'
import { createLimitIndex } from '../metering/limit-index.ts'
import type { AppliedBudget } from '../metering/meter.ts'
import { RateLimiter } from '../metering/rates/rate-limiter.ts'
import { RateShares } from '../metering/rates/rate-shares.ts'
import { type Rates, SharedRates } from '../metering/rates/shared-rates.ts'
import { Spending } from '../pipeline/spending/spending.ts'
import type { OpenLedger } from '../storage/ledger/open-ledger.ts'
import type { Telemetry } from './monitoring/start-telemetry.ts'
import { SharedMeter } from './nodes/shared-meter.ts'
import type { SharedState } from './nodes/shared-state.ts'
import type { DataFolder } from './open-data-folder.ts'
import { PriceFinder } from './price-finder.ts'

export interface Metering {
  readonly store: OpenLedger
  /** Reads the ledger for reports. */
  readonly reader: LedgerReader
  /** The usage of keys, for callers. */
  readonly keyUsage: KeyUsage
  readonly queue: LedgerQueue
  readonly meter: BudgetMeter
  readonly corrections: Corrections
  /** The credits in force. They are complete after `recover` has settled the attempts that a crash left open. */
  readonly credits: CreditBudgets
  /**
   * Settles the attempts that a crash left open, so that the state of every budget is known. No request may be served
   * before that.
   */
  recover(catalog: CatalogSource): Promise<void>
  /** Applies an operator's change of a budget once it is durable. */
  applyChange(change: BudgetChange): void
  /** Reads the amounts that other processes have spent from these budgets. Never rejects. */
  readonly learnOthers: (applied: readonly AppliedBudget[]) => Promise<void>
  /** Reads the amounts that other processes spent from the values of a budget that spent the most. Never rejects. */
  readonly learnTopValues: (budget: Budget, limit: number) => Promise<void>
  /** The meter with its leases; undefined if no other process shares the budgets. */
  readonly sharedMeter: SharedMeter | undefined
  /** Starts the thread for reports. If there is much to read, the thread starts to read in advance. */
  readAhead(): void
  /** Applies the durability, the retention and the prices of another configuration. */
  change(config: Pick<Config, 'ledger' | 'findPriceVersion'>): void
  /** The holds and records for requests that arrive under a configuration. */
  spendingFor(config: Config): Spending
}

export interface MeteringOptions {
  readonly config: Pick<Config, 'ledger' | 'findPriceVersion'>
  readonly folder: Pick<DataFolder, 'openMetering'>
  /** Undefined if no other process shares the budgets. */
  readonly shared: SharedState | undefined
  readonly creditStore: Pick<CreditStore, 'loadCredits'>
  readonly telemetry: Pick<Telemetry, 'clock' | 'metrics' | 'disk' | 'budgetReached' | 'warn'>
}

const ample = { level: 'ample' } as const

/** Opens `ledger.db` and the parts that depend on it. */
export async function openMetering(
  options: MeteringOptions,
  cleanup: AsyncDisposableStack,
): Promise<Metering> {
  const { config, folder, shared, creditStore, telemetry } = options
  const { metrics, warn } = telemetry
  const clock = shared === undefined ? telemetry.clock : { ...telemetry.clock, nowMs: shared.node.nowMs }
  const reports = { ...metrics.ledger, warn }
  const { store, reader } = await folder.openMetering(endProcess)
  cleanup.defer(() => store.close())
  cleanup.defer(() => reader.close())
  const maintenance = new LedgerMaintenance({ store, clock, policy: config.ledger, warn })
  cleanup.defer(() => maintenance.stop())
  const events = { onThreshold: telemetry.budgetReached, onDecision: publishDecisions() }
  const credits = new CreditBudgets()
  const sharedMeter =
    shared === undefined ? undefined : new SharedMeter({ shared, clock, events, creditStore, credits, warn })
  cleanup.defer(() => sharedMeter?.stop())
  const meter = sharedMeter?.meter ?? new BudgetMeter({ ...events, clock })
  const learnOthers = sharedMeter?.leases.learnOthers
  const limiter = new RateLimiter({ clock })
  const rates = shared === undefined ? limiter : shareRates(limiter, { shared, clock }, cleanup)
  const queue = new LedgerQueue({ store, clock, durability: config.ledger.durability, reports })
  cleanup.defer(() => queue.close())
  const prices = new PriceFinder(config.findPriceVersion)
  // Rows in PostgreSQL need no space on the disk of the data folder.
  const disk = shared?.store === 'postgres' ? ample : telemetry.disk
  return {
    // A failure is ignored here, since the next report fails in the same way and reports the error.
    readAhead: () => void reader.readAhead().catch(() => undefined),
    store,
    reader,
    queue,
    meter,
    credits,
    keyUsage: new KeyUsage({ reader, clock }),
    corrections: new Corrections({ reader, queue, meter, learnOthers, findPrice: prices.find, clock, warn }),
    change(next) {
      maintenance.change(next.ledger)
      queue.change(next.ledger.durability)
      prices.change(next.findPriceVersion)
    },
    async recover(catalog) {
      prices.serve(catalog)
      if (sharedMeter === undefined)
        await recoverAlone({ store, clock, prices, meter, credits, creditStore, warn })
      else await sharedMeter.start(prices.find)
    },
    sharedMeter,
    learnOthers: async (applied) => void (await learnOthers?.(applied.map(counterIdOf))),
    learnTopValues: async ({ id }, limit) => sharedMeter?.leases.learnTopValues(id, limit),
    applyChange: (change) => (sharedMeter ?? meter).apply(change),
    spendingFor: createSpending({ meter, sharedMeter, rates, queue, credits, clock, disk }),
  }
}

interface Recovery extends Pick<Metering, 'store' | 'meter' | 'credits'> {
  readonly clock: Clock
  readonly prices: PriceFinder
  readonly creditStore: MeteringOptions['creditStore']
  readonly warn: (message: string) => void
}

/** Settles the attempts that a crash left open, if no other process shares the ledger. */
async function recoverAlone(recovery: Recovery): Promise<void> {
  const { store, clock, prices, meter, credits, creditStore, warn } = recovery
  const { counters, orphans } = await recoverLedger({ store, clock, findPrice: prices.snapshot() })
  meter.load(counters)
  const { grants, changes } = await creditStore.loadCredits(clock.nowMs())
  for (const grant of grants) credits.add(grant)
  for (const change of changes) meter.apply(change)
  if (orphans > 0)
    warn(
      `the process before this one left ${orphans} attempts unsettled; the ledger has an estimate of each, from how far its answer had come`,
    )
}

interface RatesInput {
  readonly shared: SharedState
  readonly clock: Clock
}

function shareRates(
  limiter: RateLimiter,
  { shared: { rateShares: store, servingCount, node }, clock }: RatesInput,
  cleanup: AsyncDisposableStack,
): Rates {
  const shares = new RateShares({ store, clock, epoch: node.epoch, nodes: servingCount })
  cleanup.defer(() => shares.stop())
  shares.start()
  return new SharedRates(limiter, shares)
}

interface SpendingParts extends Pick<Metering, 'meter' | 'queue' | 'credits' | 'sharedMeter'> {
  readonly rates: Rates
  readonly clock: Clock
  readonly disk: Pick<Telemetry['disk'], 'level'>
}

function createSpending({
  sharedMeter,
  queue: ledger,
  credits,
  ...parts
}: SpendingParts): Metering['spendingFor'] {
  const leases = sharedMeter?.leases
  return ({ groups, users, budgets, rates, ledger: policy, unpriced }) =>
    new Spending({
      ...parts,
      leases,
      ledger,
      policy,
      unpriced,
      limits: createLimitIndex({ groups, users, budgets, rates }, credits),
    })
}

/** Publishes decisions to the subscribers in this process that existed before the start: see docs/lifecycle.md. */
function publishDecisions(): MeterOptions['onDecision'] {
  const decisions = channel('headgate.budget')
  return decisions.hasSubscribers ? (decision) => decisions.publish(decision) : undefined
}

/**
 * Throws an uncaught error. The last handler logs it, lets answers in progress finish and exits, so that a supervisor
 * starts another process.
 */
function endProcess(reason: string): void {
  queueMicrotask(() => {
    throw new OperatorError('ledger_unreliable', `the ledger cannot be trusted any more: ${reason}`)
  })
}
