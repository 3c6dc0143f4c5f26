import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { batchOf, createLedgerRow } from '../../../test/support/ledger-row.ts'
import { makeTemporaryFolder } from '../../../test/support/temporary-folder.ts'
import { readDatabase } from '../../config/database-schema.ts'
import { systemRandom } from '../../kit/random/random.ts'
import { createSecretFiles } from '../../storage/files/secret-files.ts'
import { openLedger } from '../../storage/ledger/open-ledger.ts'
import { openKeyStore } from '../../storage/open-key-store.ts'
import { migrateFolder } from './migrate-folder.ts'

const ROWS = 5_000
const INTACT_BYTES = 200_000

test('damage that the copy meets is reported with the data folder and what to do', async () => {
  const dataFolder = makeTemporaryFolder()
  createSecretFiles(dataFolder, systemRandom).pepper('make')
  await (await openKeyStore(dataFolder)).close()
  const ledger = await openLedger({ dataFolder, onDiskFault: () => undefined })
  await ledger.commit(
    batchOf({ rows: Array.from({ length: ROWS }, (_row, number) => createLedgerRow(number)) }),
  )
  await ledger.close()
  const file = join(dataFolder, 'ledger.db')
  writeFileSync(file, readFileSync(file).fill(7, INTACT_BYTES))
  const migrating = migrateFolder({
    dataFolder,
    settings: readDatabase('postgres://headgate@127.0.0.1:1/headgate'),
    secret: 'folder-secret-0123456789abcdef',
    step: 'plan',
    backUp: async () => undefined,
    report: () => undefined,
  })
  await expect(migrating).rejects.toThrow(
    `a database of the data folder ${dataFolder} cannot be read: database disk image is malformed; restore it from a copy`,
  )
})
