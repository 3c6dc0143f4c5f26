import { statSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { testLedgerStore } from '../../../test/contract/ledger-store.ts'
import {
  batchOf,
  counted,
  createLedgerIntent,
  createLedgerRow,
  LEDGER_START_MS,
  nano,
} from '../../../test/support/ledger-row.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { type OpenLedger, openLedger } from './open-ledger.ts'

async function open(dataFolder: string, onDiskFault: (reason: string) => void = () => undefined) {
  const ledger = await openLedger({ dataFolder, onDiskFault })
  onTestFinished(() => ledger.close())
  return ledger
}

/** The rows that another connection reads of the file. */
function read(dataFolder: string, sql: string): readonly unknown[] {
  const database = new DatabaseSync(join(dataFolder, 'ledger.db'), { readOnly: true })
  try {
    return database.prepare(sql).all()
  } finally {
    database.close()
  }
}

describe('a ledger in SQLite', () => {
  testLedgerStore(async () => {
    const dataFolder = makeTemporaryFolder()
    const store: OpenLedger = await open(dataFolder)
    return {
      store,
      async reopen() {
        await store.close()
        return open(dataFolder)
      },
    }
  })
})

describe('the file of the ledger', () => {
  test('is readable by its owner alone', async () => {
    const dataFolder = makeTemporaryFolder()
    await open(dataFolder)
    expect((statSync(join(dataFolder, 'ledger.db')).mode & 0o777).toString(8)).toBe('600')
  })

  test('is read by others while it is written', async () => {
    const dataFolder = makeTemporaryFolder()
    const ledger = await open(dataFolder)
    await ledger.commit(batchOf({ rows: [createLedgerRow(1)] }))
    expect(read(dataFolder, 'select cost, charged, output from ledger')).toEqual([
      { cost: 1_000, charged: 1_100, output: 5 },
    ])
  })

  test('holds nothing of a batch that fails, and takes the next one', async () => {
    const dataFolder = makeTemporaryFolder()
    const ledger = await open(dataFolder)
    const other = new DatabaseSync(join(dataFolder, 'ledger.db'))
    other.exec(
      "create trigger refuse before insert on ledger when new.cost = 666 begin select raise(abort, 'no'); end",
    )
    const row = (number: number, cost: number) =>
      createLedgerRow(number, { model: 'new', cost: nano(cost), counted: [counted('a', cost)] })
    const failed = ledger.commit(
      batchOf({ intents: [createLedgerIntent(9)], rows: [row(1, 5), row(2, 666)] }),
    )
    await expect(failed).rejects.toMatchObject({ failure: { code: 'store_unavailable' } })
    other.exec('drop trigger refuse')
    other.close()
    await ledger.commit(batchOf({ rows: [row(3, 7)] }))
    const { counters, openIntents } = await ledger.load(LEDGER_START_MS)
    expect(counters).toMatchObject([{ spent: 7 }])
    expect(openIntents).toEqual([])
    expect(read(dataFolder, 'select number, cost from ledger')).toEqual([{ number: 1, cost: 7 }])
  })
})
