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
import { canMountDisks, openSmallDisk } from '../../../test/support/small-disk.ts'
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

  test('can be read by other processes while it is written', async () => {
    const dataFolder = makeTemporaryFolder()
    const ledger = await open(dataFolder)
    await ledger.commit(batchOf({ rows: [createLedgerRow(1)] }))
    expect(read(dataFolder, 'select cost, charged, output from ledger')).toEqual([
      { cost: 1_000, charged: 1_100, output: 5 },
    ])
  })

  test('holds nothing of a batch that fails, and accepts the next one', async () => {
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

describe('the intents of a ledger', () => {
  const batches = 'select number, json_array_length(intents) as intents from intent_batches order by number'

  test('share a table row with the other intents of their commit until the last of them is settled', async () => {
    const dataFolder = makeTemporaryFolder()
    const ledger = await open(dataFolder)
    await ledger.commit(batchOf({ intents: [createLedgerIntent(1), createLedgerIntent(2)] }))
    await ledger.commit(batchOf({ rows: [createLedgerRow(1)] }))
    expect(read(dataFolder, batches)).toEqual([{ number: 1, intents: 2 }])
    expect(read(dataFolder, 'select count(*) as open from open_intents')).toEqual([{ open: 1 }])
    await ledger.commit(batchOf({ rows: [createLedgerRow(2)] }))
    expect(read(dataFolder, batches)).toEqual([])
  })

  test('move out of an old table row whose other intents were settled long ago', async () => {
    const dataFolder = makeTemporaryFolder()
    const ledger = await open(dataFolder)
    const lasting = createLedgerIntent(1)
    await ledger.commit(batchOf({ intents: [lasting, createLedgerIntent(2)] }))
    await ledger.commit(batchOf({ rows: [createLedgerRow(2)] }))
    for (let number = 3; number < 1_003; number += 1)
      await ledger.commit(
        batchOf({ intents: [createLedgerIntent(number)], rows: [createLedgerRow(number - 1)] }),
      )
    const [first] = read(dataFolder, batches)
    expect(first).toEqual({ number: 1_001, intents: 1 })
    const { openIntents } = await ledger.load(LEDGER_START_MS)
    expect(openIntents.map(({ intent }) => intent.id)).toEqual([lasting.id, createLedgerIntent(1_002).id])
    await ledger.commit(batchOf({ rows: [createLedgerRow(1), createLedgerRow(1_002)] }))
    expect(read(dataFolder, batches)).toEqual([])
  })

  test('lose their checkpoint with the row that settles them', async () => {
    const dataFolder = makeTemporaryFolder()
    const ledger = await open(dataFolder)
    const { id } = createLedgerIntent(1)
    await ledger.commit(batchOf({ intents: [createLedgerIntent(1)] }))
    await ledger.commit(batchOf({ checkpoints: [{ id, outputTokens: 40 }] }))
    expect(read(dataFolder, 'select output_tokens from checkpoints')).toEqual([{ output_tokens: 40 }])
    await ledger.commit(batchOf({ rows: [createLedgerRow(1)] }))
    expect(read(dataFolder, 'select output_tokens from checkpoints')).toEqual([])
  })
})

describe.skipIf(!canMountDisks)('the file of the ledger on a full disk', () => {
  test('refuses an empty batch like any other, and accepts both once there is room', async () => {
    const disk = openSmallDisk(16)
    onTestFinished(() => disk[Symbol.dispose]())
    const ledger = await open(disk.folder)
    disk.fillUntil(0)
    const refused = { failure: { code: 'store_unavailable' } }
    await expect(ledger.commit(batchOf({ intents: [createLedgerIntent(1)] }))).rejects.toMatchObject(refused)
    await expect(ledger.commit(batchOf({}))).rejects.toMatchObject(refused)
    disk.empty()
    await ledger.commit(batchOf({}))
    await ledger.commit(batchOf({ intents: [createLedgerIntent(1)] }))
    expect((await ledger.load(LEDGER_START_MS)).openIntents).toHaveLength(1)
  })
})
