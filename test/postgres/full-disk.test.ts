import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { PostgresLedger } from '../../src/storage/postgres/ledger/ledger-postgres.ts'
import { createPostgresNodes } from '../../src/storage/postgres/nodes-postgres.ts'
import { applyPostgresMigrations } from '../../src/storage/postgres/postgres-migrations.ts'
import { batchOf, createLedgerIntent } from '../support/ledger-row.ts'
import { canMountDisks, openSmallDisk } from '../support/small-disk.ts'
import { untilAsync } from '../support/until.ts'
import { callNode, useNodes } from './open-nodes.ts'
import { nodeDetails, openPool, useDatabase } from './open-stores.ts'

const shared = useDatabase()
const nodes = useNodes()
const limited = 'sk-limited-0123456789abcdef'
const limitedKey = `keys: [{ name: limited, secret: ${limited}, models: ["*"], budgets: [{ limit_usd: 5, window: total, mode: exact }] }]
models: { m: { price: { input: 0, output: 2 } } }
`

test.skipIf(!canMountDisks)(
  'an empty batch fails exactly as long as the disk of the database is too full for others',
  async () => {
    const disk = openSmallDisk(64)
    onTestFinished(() => disk[Symbol.dispose]())
    const { server } = shared.current
    const database = await openPool(await server.createDatabaseIn(disk.folder))
    onTestFinished(() => database.close())
    await applyPostgresMigrations(database, 'headgate')
    const { epoch } = await createPostgresNodes(database).join(nodeDetails, {})
    const ledger = new PostgresLedger({ database, epoch: () => epoch })
    const write = (first: number) =>
      ledger.commit(
        batchOf({ intents: Array.from({ length: 50 }, (_, index) => createLedgerIntent(first + index)) }),
      )
    disk.fillUntil(0)
    await expect(fillTable(write)).rejects.toMatchObject({
      failure: { code: 'store_unavailable', logCause: expect.stringContaining('No space left on device') },
    })
    await expect(ledger.commit(batchOf({}))).rejects.toMatchObject({ failure: { code: 'store_unavailable' } })
    disk.empty()
    await ledger.commit(batchOf({}))
    await write(100_000)
  },
)

/** The pages that the table has take some more. */
async function fillTable(write: (first: number) => Promise<void>): Promise<void> {
  for (let first = 1; first < 50_000; first += 50) await write(first)
}

test.skipIf(!canMountDisks)(
  'a node serves keys with a budget if the disk of its own folder is nearly full',
  async () => {
    const disk = openSmallDisk(64)
    onTestFinished(() => disk[Symbol.dispose]())
    const { yaml } = await nodes.openNodes(limitedKey, 0)
    const folder = join(disk.folder, 'node')
    mkdirSync(folder)
    const node = await nodes.openNode(yaml, {}, folder)
    const ask = () => callNode(node, limited)
    expect((await ask()).status).toBe(200)
    disk.fillUntil(1_000_000)
    await untilAsync('the disk is seen to be nearly full', async () => {
      const text = await (await fetch(`${node.url}/metrics`)).text()
      return text.includes('headgate_disk_level 2')
    })
    expect((await ask()).status).toBe(200)
  },
)
