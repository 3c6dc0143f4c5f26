import { expect, test } from 'vitest'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import { PostgresLedger } from '../../src/storage/postgres/ledger/ledger-postgres.ts'
import { createPostgresMeterStore } from '../../src/storage/postgres/ledger/meter-store-postgres.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import { createLeaseFigures, LeaseHistory } from '../support/lease-history.ts'
import { type SharedBudgets, shareByStores } from '../support/shared-budgets.ts'
import { useDatabase } from './open-stores.ts'

const shared = useDatabase()
const NODES = 4
/** The number of histories, of which each takes seconds on a busy machine; the environment may ask for more. */
const HISTORIES = Number(process.env['HISTORIES'] ?? 4)

test('four nodes that share budgets never overspend them, whichever messages or nodes are lost, stall or die', async () => {
  const figures = createLeaseFigures()
  const options = { figures, processes: NODES, share, startMs: Date.now() }
  for (let seed = 1; seed <= HISTORIES; seed += 1) await new LeaseHistory(seed, options).run(60)
  expect(figures.held).toBeGreaterThan(20 * HISTORIES)
  expect(figures.refused).toBeGreaterThan(2 * HISTORIES)
  expect(Math.min(figures.settled, figures.late, figures.ended, figures.lostAnswers)).toBeGreaterThan(1)
}, 120_000)

function share(): SharedBudgets {
  const { database } = shared.current
  const ledgers = new Map<Epoch, PostgresLedger>()
  return shareByStores({
    meter: createPostgresMeterStore(database),
    nodes: createPostgresNodes(database),
    commit(epoch, batch) {
      const ledger = ledgers.get(epoch) ?? new PostgresLedger({ database, epoch: () => epoch })
      ledgers.set(epoch, ledger)
      return ledger.commit(batch)
    },
  })
}
