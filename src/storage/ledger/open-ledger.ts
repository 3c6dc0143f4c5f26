import { extname, join } from 'node:path'
import type { MaintainedLedger } from '../../metering/ledger/ledger-maintenance.ts'
import type { LedgerBatch, LedgerStore } from '../../metering/ledger-store.ts'
import { makeDataFolder } from '../files/make-data-folder.ts'
import { adviseOnFault } from '../sqlite/advise-on-fault.ts'
import { openingError } from '../sqlite/opening-error.ts'
import type { LoadedThread, ThreadProgram } from '../sqlite/program-thread.ts'
import { storeUnavailable } from '../sqlite/store-fault.ts'
import { openStoreThread } from '../sqlite/store-thread.ts'
import { isAnswerTo } from '../sqlite/thread-protocol.ts'
import { createBatchPacker } from './batch/pack-batch.ts'
import { isDiskFault } from './is-disk-fault.ts'
import type { LedgerAnswer, LedgerAsk } from './ledger-protocol.ts'

const whenDamaged = 'restore it from a copy'

export interface OpenLedger extends LedgerStore, MaintainedLedger {
  /** Copies the ledger as it is when the copy ends, readable by its owner only. The file must not exist yet. */
  copyTo(path: string): Promise<void>
  /** Waits for the calls in progress, then closes the ledger. */
  close(): Promise<void>
}

/** The ledger of a process that owns its file. */
export interface OwnedLedgerFile extends OpenLedger {
  /** Commits a batch, and returns the IDs of rows that existed already. */
  commitNew(batch: LedgerBatch): Promise<readonly string[]>
}

export interface LedgerOptions {
  readonly dataFolder: string
  /**
   * Called once, when the disk has failed or the file is damaged. From then on nothing is written. Only another
   * process, which reads the file again, can continue.
   */
  readonly onDiskFault: (reason: string) => void
  /** The worker thread, if its program was loaded ahead of time. */
  readonly loaded?: LoadedThread | undefined
}

export const ledgerThread: ThreadProgram = {
  script: new URL(`./ledger-worker${extname(new URL(import.meta.url).pathname)}`, import.meta.url),
}

/**
 * Opens `ledger.db` in the data folder in a separate thread, and migrates its tables. Only the process that has
 * `headgate.db` may do so. Throws an error for the operator.
 */
export async function openLedger({
  dataFolder,
  onDiskFault,
  loaded,
}: LedgerOptions): Promise<OwnedLedgerFile> {
  makeDataFolder(dataFolder)
  const file = join(dataFolder, 'ledger.db')
  let hasFailed = false
  const thread = await openStoreThread<LedgerAsk, LedgerAnswer>({
    ...ledgerThread,
    loaded,
    file,
    openingError: (fault) => openingError(file, fault, whenDamaged),
    readFault(fault) {
      const reason = `${file}: ${adviseOnFault(fault, whenDamaged)}`
      if (!hasFailed && isDiskFault(fault)) {
        hasFailed = true
        onDiskFault(reason)
      }
      return storeUnavailable(reason)
    },
  })
  const pack = createBatchPacker()

  async function ask<Type extends LedgerAnswer['type']>(
    request: Extract<LedgerAsk, { type: Type }>,
  ): Promise<Extract<LedgerAnswer, { type: Type }>> {
    const answer = await thread.ask(request)
    if (isAnswerTo(answer, request.type)) return answer
    throw storeUnavailable(`the thread of ${file} answered something else`)
  }

  return {
    load: async (nowMs) => (await ask<'load'>({ type: 'load', nowMs })).state,
    commit: async (batch) => void (await ask<'commit'>({ type: 'commit', batch: pack(batch) })),
    commitNew: async (batch) => (await ask<'commit'>({ type: 'commit', batch: pack(batch) })).known,
    maintain: (retention) => ask<'maintain'>({ type: 'maintain', retention }),
    copyTo: async (path) => void (await ask<'copy'>({ type: 'copy', path })),
    close: () => thread.close(),
  }
}
