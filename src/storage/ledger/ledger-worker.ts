// The thread that writes the ledger. Each batch of rows is one transaction and one fsync.
import type { MessagePort } from 'node:worker_threads'
import type { LedgerRetention } from '../../metering/ledger/ledger-maintenance.ts'
import { applyMigrations } from '../sqlite/apply-migrations.ts'
import { copyBeforeMigration } from '../sqlite/copy-before-migration.ts'
import { serveFile } from '../sqlite/serve-file.ts'
import { describeSqliteFault, openDatabase, wrapDatabase } from '../sqlite/sqlite-file.ts'
import type { SqliteFault } from '../sqlite/sqlite-protocol.ts'
import type { ThreadReply, ThreadRequest } from '../sqlite/thread-protocol.ts'
import { BatchWriter } from './batch/batch-writer.ts'
import { CellSealer } from './cells/seal-cells.ts'
import { isDiskFault } from './is-disk-fault.ts'
import { ledgerMigrations } from './ledger-migrations.ts'
import type { LedgerAnswer, LedgerAsk } from './ledger-protocol.ts'
import { loadLedger } from './load-ledger.ts'
import { RowPruner } from './rows/prune-rows.ts'

/** The cache holds 16 MB of pages (decision 0024). The write-ahead log is checkpointed into the file every 16 MB. */
const settings = [
  'pragma cache_size = -16384',
  'pragma wal_autocheckpoint = 4000',
  'pragma journal_size_limit = 67108864',
]

type Reply = ThreadReply<LedgerAnswer>

serveFile(serve)

async function serve(port: MessagePort, file: string): Promise<void> {
  const reply = (message: Reply): void => port.postMessage(message)
  try {
    const ledger = await openLedgerFile(file)
    // Other messages are answered during a copy; closing waits for it.
    let copying: Promise<void> = Promise.resolve()
    port.on('message', (request: ThreadRequest<LedgerAsk>) => {
      if (request.type === 'close') {
        void copying.then(() => {
          reply(ledger.close(request.id))
          port.close()
        })
      } else if (request.ask.type === 'copy') {
        const { id, ask } = request
        copying = copying.then(async () => reply(await ledger.copy(id, ask.path)))
      } else {
        reply(ledger.answer(request.id, request.ask))
      }
    })
    reply({ type: 'opened' })
  } catch (error) {
    reply({ type: 'not-opened', fault: describeSqliteFault(error) })
  }
}

async function openLedgerFile(file: string) {
  const opened = await openMigrated(file)
  const perform = createPerform(opened.database)
  let fault: SqliteFault | undefined

  function attempt(id: number, work: () => LedgerAnswer | undefined): Reply {
    if (fault !== undefined) return { type: 'failed', id, fault }
    try {
      const answer = work()
      return answer === undefined ? { type: 'done', id } : { type: 'done', id, answer }
    } catch (error) {
      const found = describeSqliteFault(error)
      if (isDiskFault(found)) fault = found
      return { type: 'failed', id, fault: found }
    }
  }

  return {
    answer: (id: number, ask: WorkAsk) => attempt(id, () => perform(ask)),
    close: (id: number) => attempt(id, () => void opened.close()),
    async copy(id: number, path: string): Promise<Reply> {
      try {
        await opened.copyTo(path)
        return { type: 'done', id, answer: { type: 'copy' } }
      } catch (error) {
        return { type: 'failed', id, fault: describeSqliteFault(error) }
      }
    },
  }
}

/** Opens the file and migrates its tables. Closes the file again where the migration fails. */
async function openMigrated(file: string) {
  // A committed row is money spent: a power cut must not lose it.
  const database = openDatabase(file, { durability: 'full', locking: 'normal' })
  const { run, copyTo, close } = wrapDatabase(database)
  try {
    run(
      settings.map((sql) => ({ sql, parameters: [] })),
      'single',
    )
    const runner = { run: async (...batch: Parameters<typeof run>) => run(...batch) }
    await applyMigrations(runner, ledgerMigrations, copyBeforeMigration(file, copyTo))
  } catch (error) {
    close()
    throw error
  }
  return { database, copyTo, close }
}

/** Copying is handled separately: it takes long, and other messages are answered in the meantime. */
type WorkAsk = Exclude<LedgerAsk, { type: 'copy' }>

function createPerform(database: ReturnType<typeof openDatabase>): (ask: WorkAsk) => LedgerAnswer {
  const writer = new BatchWriter(database)
  const sealer = new CellSealer(database)
  const pruner = new RowPruner(database)
  const maintain = (retention: LedgerRetention): boolean =>
    sealer.sealSome(retention.nowMs).hasMore || pruner.pruneSome(retention).hasMore
  return (ask) => {
    switch (ask.type) {
      case 'commit':
        return { type: 'commit', known: writer.write(ask.batch) }
      case 'load':
        return { type: 'load', state: loadLedger(database, ask.nowMs) }
      case 'maintain':
        return { type: 'maintain', hasMore: maintain(ask.retention) }
    }
  }
}
