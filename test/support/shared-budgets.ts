import type { Epoch } from '../../src/metering/leases/epoch.ts'
import { LeaseTable } from '../../src/metering/leases/lease-table.ts'
import type { MeterStore } from '../../src/metering/leases/meter-store.ts'
import type { NodeDetails, NodeRegistry } from '../../src/metering/leases/node-registry.ts'
import type { CountedAmount, HeldAmount } from '../../src/metering/ledger-row.ts'
import type { LedgerBatch } from '../../src/metering/ledger-store.ts'
import type { FakeClock } from './fake-clock.ts'
import { batchOf, createLedgerIntent, createLedgerRow } from './ledger-row.ts'

/** The store of processes that share budgets, with the beginnings and ends of their lives. */
export interface SharedBudgets extends MeterStore {
  begin(): Promise<Epoch>
  end(epoch: Epoch): Promise<void>
  intend(
    epoch: Epoch,
    intent: { readonly number: number; readonly held: readonly HeldAmount[] },
  ): Promise<void>
  /** Writes the row of an intent. */
  settle(
    epoch: Epoch,
    row: { readonly number: number; readonly counted: readonly CountedAmount[] },
  ): Promise<void>
}

/** The leases in a table, without a ledger. */
export function shareInMemory(clock: Pick<FakeClock, 'nowMs'>): SharedBudgets {
  const table = new LeaseTable(() => clock.nowMs())
  const open = new Map<number, { readonly epoch: Epoch; readonly held: readonly HeldAmount[] }>()
  return {
    lease: (epoch, order) => table.lease(epoch, order),
    readOthers: (epoch, counters) => table.readOthers(epoch, counters),
    findTopValues: (budget, limit) => table.findTopValues(budget, limit),
    begin: async () => table.begin(),
    async end(epoch) {
      const held = [...open.values()].flatMap((intent) => (intent.epoch === epoch ? intent.held : []))
      table.end(epoch, ({ counter, windowStartMs }) =>
        held
          .filter((each) => each.counter === counter && each.windowStartMs === windowStartMs)
          .reduce((sum, { amount }) => sum + amount, 0),
      )
    },
    async intend(epoch, { number, held }) {
      open.set(number, { epoch, held })
    },
    async settle(epoch, { number, counted }) {
      const held = open.get(number)?.held ?? []
      open.delete(number)
      for (const [index, each] of counted.entries())
        table.count(epoch, { ...each, held: held[index]?.amount ?? 0 })
    },
  }
}

/** The figures of a node that does nothing else. */
export const idleNode: Omit<NodeDetails, 'id'> = {
  version: '0',
  fileFingerprint: '',
  leases: 0,
  streams: 0,
  draining: false,
  ready: true,
  clockAheadMs: 0,
}

export interface SharedStores {
  readonly meter: MeterStore
  readonly nodes: NodeRegistry
  readonly commit: (epoch: Epoch, batch: LedgerBatch) => Promise<void>
}

/** The leases of a store with its ledger. */
export function shareByStores({ meter, nodes, commit }: SharedStores): SharedBudgets {
  let lives = 0
  return {
    lease: (epoch, order) => meter.lease(epoch, order),
    readOthers: (epoch, counters) => meter.readOthers(epoch, counters),
    findTopValues: (budget, limit) => meter.findTopValues(budget, limit),
    async begin() {
      lives += 1
      return (await nodes.join({ ...idleNode, id: `life ${lives}` }, {})).epoch
    },
    end: (epoch) => nodes.leave(epoch),
    intend: (epoch, { number, held }) =>
      commit(epoch, batchOf({ intents: [createLedgerIntent(number, { held })] })),
    settle: (epoch, { number, counted }) =>
      commit(epoch, batchOf({ rows: [createLedgerRow(number, { counted })] })),
  }
}
