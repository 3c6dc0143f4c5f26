import { describe, onTestFinished } from 'vitest'
import type { Epoch } from '../../src/metering/leases/epoch.ts'
import type { LedgerStore } from '../../src/metering/ledger-store.ts'
import { PostgresLedger } from '../../src/storage/postgres/ledger/ledger-postgres.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import { testLedgerStore } from '../contract/ledger-store.ts'
import { nodeDetails, useDatabase } from './open-stores.ts'

const shared = useDatabase()

describe('the ledger in PostgreSQL', () => {
  testLedgerStore(async () => {
    const { database, empty } = shared.current
    await empty()
    const nodes = createPostgresNodes(database)
    let current: { readonly epoch: Epoch; readonly ledger: PostgresLedger } | undefined
    const reopen = async (): Promise<LedgerStore> => {
      current?.ledger.close()
      if (current !== undefined) await nodes.leave(current.epoch)
      const { epoch } = await nodes.join(nodeDetails, {})
      current = { epoch, ledger: new PostgresLedger({ database, epoch: () => epoch }) }
      return current.ledger
    }
    const store = await reopen()
    onTestFinished(() => current?.ledger.close())
    return { store, reopen }
  })
})
