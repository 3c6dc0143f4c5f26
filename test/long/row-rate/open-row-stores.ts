import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { readDatabase } from '../../../src/config/database-schema.ts'
import { systemClock } from '../../../src/kit/time/clock.ts'
import type { MaintainedLedger } from '../../../src/metering/ledger/ledger-maintenance.ts'
import type { LedgerReader } from '../../../src/metering/ledger-reader.ts'
import type { LedgerStore } from '../../../src/metering/ledger-store.ts'
import type { RequestLogStore } from '../../../src/request-log/request-log-store.ts'
import { openLedger } from '../../../src/storage/ledger/open-ledger.ts'
import { createLedgerReader } from '../../../src/storage/ledger/open-ledger-reader.ts'
import { PostgresLedger } from '../../../src/storage/postgres/ledger/ledger-postgres.ts'
import { createPostgresLedgerReader } from '../../../src/storage/postgres/ledger/ledger-reader-postgres.ts'
import { pruneLedger } from '../../../src/storage/postgres/ledger/prune-ledger.ts'
import { createPostgresNodes } from '../../../src/storage/postgres/nodes-postgres.ts'
import { openPostgres } from '../../../src/storage/postgres/open-postgres.ts'
import { applyPostgresMigrations } from '../../../src/storage/postgres/postgres-migrations.ts'
import { createPostgresRequestLog } from '../../../src/storage/postgres/request-log/request-log-postgres.ts'
import { openRequestLog } from '../../../src/storage/request-log/open-request-log.ts'
import { idleNode } from '../../support/shared-budgets.ts'

export interface RowStores {
  readonly openRequests: () => Promise<RequestLogStore>
  readonly ledger: Pick<LedgerStore, 'commit'> & MaintainedLedger
  readonly reader: Pick<LedgerReader, 'rows'>
  /** The different requests and attempts that are stored. */
  count(): Promise<{ readonly requests: number; readonly attempts: number }>
  close(): Promise<void>
}

/** The stores of the request log and of the ledger, in a database or, without an address, in files. */
export function openRowStores(databaseUrl: string, folder: string): Promise<RowStores> {
  return databaseUrl === '' ? openFiles(folder) : openDatabase(databaseUrl)
}

async function openFiles(folder: string): Promise<RowStores> {
  const ledger = await openLedger({
    dataFolder: folder,
    onDiskFault(reason) {
      throw new Error(reason)
    },
  })
  const reader = createLedgerReader(folder)
  return {
    openRequests: () => openRequestLog(folder),
    ledger,
    reader,
    count: async () => ({
      requests: countIn(join(folder, 'requests.db'), 'requests'),
      attempts: countIn(join(folder, 'ledger.db'), 'ledger'),
    }),
    async close() {
      await reader.close()
      await ledger.close()
    },
  }
}

function countIn(file: string, table: string): number {
  using database = new DatabaseSync(file, { readOnly: true })
  const [row = {}] = database.prepare(`select count(distinct request_id) as count from ${table}`).all()
  return Number(row['count'])
}

async function openDatabase(url: string): Promise<RowStores> {
  const database = await openPostgres({
    settings: readDatabase(url),
    clock: systemClock,
    chance: Math.random,
  })
  await applyPostgresMigrations(database, 'headgate')
  const nodes = createPostgresNodes(database)
  const details = { ...idleNode, id: 'a' }
  const { epoch } = await nodes.join(details, {})
  const ledger = new PostgresLedger({ database, epoch: () => epoch })
  const renewal = setInterval(() => void nodes.renew(epoch, details), 5_000)
  const count = async (table: string) => {
    const { rows } = await database.query(`select count(distinct request_id) as count from ${table}`)
    return Number(rows[0]?.['count'])
  }
  return {
    openRequests: async () => createPostgresRequestLog(database),
    ledger: {
      commit: (batch) => ledger.commit(batch),
      maintain: (retention) => pruneLedger(database, retention),
    },
    reader: createPostgresLedgerReader(database),
    count: async () => ({ requests: await count('requests'), attempts: await count('ledger_rows') }),
    async close() {
      clearInterval(renewal)
      ledger.close()
      await database.close()
    },
  }
}
