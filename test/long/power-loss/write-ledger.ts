// Writes a ledger, and says on its output how many rows are committed, each time that a commit is acknowledged:
// node write-ledger.ts FOLDER full|normal COMMITS. `full` is the gateway's own ledger; `normal` is the same but for
// SQLite's durability.
import { writeSync } from 'node:fs'
import { join } from 'node:path'
import { BatchWriter } from '../../../src/storage/ledger/batch/batch-writer.ts'
import { createBatchPacker } from '../../../src/storage/ledger/batch/pack-batch.ts'
import { ledgerMigrations } from '../../../src/storage/ledger/ledger-migrations.ts'
import { openLedger } from '../../../src/storage/ledger/open-ledger.ts'
import { applyMigrations } from '../../../src/storage/sqlite/apply-migrations.ts'
import { openDatabase, wrapDatabase } from '../../../src/storage/sqlite/sqlite-file.ts'
import { crashBatch, ROWS_PER_COMMIT } from './crash-batch.ts'

const [folder = '', durability, commits = '0'] = process.argv.slice(2)
const commit = durability === 'full' ? await openReal() : await openNormal()
for (let number = 1; number <= Number(commits); number += 1) {
  await commit(number)
  writeSync(1, `COMMITTED ${number * ROWS_PER_COMMIT}\n`)
}
// Ends as a process does whose machine loses its power: nothing is closed.
process.exit(0)

async function openReal(): Promise<(number: number) => Promise<void>> {
  const onDiskFault = (reason: string): never => {
    throw new Error(reason)
  }
  const ledger = await openLedger({ dataFolder: folder, onDiskFault })
  return (number) => ledger.commit(crashBatch(number))
}

async function openNormal(): Promise<(number: number) => Promise<void>> {
  const database = openDatabase(join(folder, 'ledger.db'), { durability: 'normal', locking: 'normal' })
  database.exec('pragma cache_size = -32768; pragma wal_autocheckpoint = 4000')
  const { run } = wrapDatabase(database)
  await applyMigrations({ run: async (...batch: Parameters<typeof run>) => run(...batch) }, ledgerMigrations)
  const writer = new BatchWriter(database)
  const pack = createBatchPacker()
  return async (number) => void writer.write(pack(crashBatch(number)))
}
