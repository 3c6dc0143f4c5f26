// Money: the ledger with its queue, the meter that stands on it, and what the configuration says of limits.
import type { Config } from '../config/config.ts'
import { BudgetMeter } from '../metering/budget-meter.ts'
import { describeThreshold } from '../metering/describe-threshold.ts'
import { LedgerQueue } from '../metering/ledger-queue.ts'
import { createLimitIndex } from '../metering/limit-index.ts'
import { RateLimiter } from '../metering/rate-limiter.ts'
import { type RecoveryOptions, recoverLedger } from '../metering/recover-ledger.ts'
import { Spending } from '../pipeline/spending/spending.ts'
import { type OpenLedger, openLedger } from '../storage/ledger/open-ledger.ts'
import type { Telemetry } from './start-telemetry.ts'

export interface Metering {
  readonly store: OpenLedger
  readonly queue: LedgerQueue
  readonly meter: BudgetMeter
  /** Where a configuration's requests are held and recorded. */
  spendingFor(config: Config): Spending
}

export interface MeteringOptions {
  readonly config: Pick<Config, 'dataFolder' | 'ledger'>
  readonly telemetry: Pick<Telemetry, 'clock' | 'metrics' | 'warn'>
  readonly findPrice: RecoveryOptions['findPrice']
}

/** Opens `ledger.db` and settles what a crash left open, so that every budget is known before a request is served. */
export async function openMetering(
  options: MeteringOptions,
  cleanup: AsyncDisposableStack,
): Promise<Metering> {
  const { config, telemetry, findPrice } = options
  const { clock, metrics, warn } = telemetry
  const reports = { ...metrics.ledger, warn }
  const store = await openLedger({ dataFolder: config.dataFolder, onDiskFault: endByFault })
  cleanup.defer(() => store.close())
  const meter = new BudgetMeter({ onThreshold: (reached) => warn(describeThreshold(reached)) })
  const { counters, orphans } = await recoverLedger({ store, clock, findPrice })
  meter.load(counters)
  if (orphans > 0)
    warn(
      `the process before this one left ${orphans} attempts unsettled; the ledger has an estimate of each, from how far its answer had come`,
    )
  const rateLimiter = new RateLimiter({ clock })
  const queue = new LedgerQueue({ store, clock, durability: config.ledger.durability, reports })
  cleanup.defer(() => queue.close())
  return {
    ...{ store, queue, meter },
    spendingFor: ({ groups, users, budgets, rates, ledger: policy, unpriced }) =>
      new Spending({
        ...{ limits: createLimitIndex({ groups, users, budgets, rates }) },
        ...{ meter, rates: rateLimiter, ledger: queue, policy, unpriced, clock },
      }),
  }
}

/** The last handler logs it, lets live answers end and exits, so that a supervisor starts another process. */
function endByFault(reason: string): void {
  queueMicrotask(() => {
    throw new Error(`the ledger cannot be trusted any more: ${reason}`)
  })
}
