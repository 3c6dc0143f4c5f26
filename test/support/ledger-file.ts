import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { LedgerRetention } from '../../src/metering/ledger/ledger-maintenance.ts'
import type { LedgerBatch } from '../../src/metering/ledger-store.ts'
import { BatchWriter } from '../../src/storage/ledger/batch/batch-writer.ts'
import { createBatchPacker } from '../../src/storage/ledger/batch/pack-batch.ts'
import { CellSealer } from '../../src/storage/ledger/cells/seal-cells.ts'
import { ledgerMigrations } from '../../src/storage/ledger/ledger-migrations.ts'
import { RowPruner } from '../../src/storage/ledger/rows/prune-rows.ts'
import { applyMigrations } from '../../src/storage/sqlite/apply-migrations.ts'
import { openDatabase, wrapDatabase } from '../../src/storage/sqlite/sqlite-file.ts'
import { makeTemporaryFolder } from './temporary-folder.ts'

/** The tables of a ledger and what writes them, in the test's own thread. */
export async function openLedgerFile(folder = makeTemporaryFolder()) {
  const database = openDatabase(join(folder, 'ledger.db'), { durability: 'normal', locking: 'normal' })
  onTestFinished(() => {
    if (database.isOpen) database.close()
  })
  const { run } = wrapDatabase(database)
  await applyMigrations({ run: async (...batch: Parameters<typeof run>) => run(...batch) }, ledgerMigrations)
  const writer = new BatchWriter(database)
  const pack = createBatchPacker(3)
  // The pruner takes so few at once that an hour takes several steps.
  const pruner = new RowPruner(database, 2)
  const sealer = new CellSealer(database, 3)
  return {
    folder,
    database,
    commit: (batch: LedgerBatch) => writer.write(pack(batch)),
    prune(retention: LedgerRetention) {
      while (pruner.pruneSome(retention).hasMore);
    },
    sealAll(nowMs: number) {
      while (sealer.sealSome(nowMs).hasMore);
    },
  }
}
