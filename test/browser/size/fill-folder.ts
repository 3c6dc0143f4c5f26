// Fills the data folder that FOLDER names with a large installation: 10,000 keys, 10 million requests and as many
// ledger rows that end now. SIZE in the environment changes the number of rows; where DRAWN is smaller, so many are drawn
// and the request log is repeated to its size, which is many times faster.
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { openLedger } from '../../../src/storage/ledger/open-ledger.ts'
import { openRequestLog } from '../../../src/storage/request-log/open-request-log.ts'
import { joinRows } from '../../support/join-rows.ts'
import { batchOf } from '../../support/ledger-row.ts'
import { countRequests } from './count-requests.ts'
import { createKeys } from './create-keys.ts'
import { KEYS } from './large-installation.ts'
import { createLargeTraffic } from './large-traffic.ts'
import { repeatRequests } from './repeat-requests.ts'

const SIZE = Number(process.env['SIZE'] ?? 10_000_000)
const DRAWN = Math.min(SIZE, Number(process.env['DRAWN'] ?? SIZE))
const BATCH_ROWS = 4_096

export async function fillFolder(dataFolder: string, size: number): Promise<void> {
  mkdirSync(dataFolder, { recursive: true })
  const keys = await createKeys(dataFolder, KEYS)
  const rowOf = createLargeTraffic({ size, keys, endMs: Date.now() })
  const requests = await openRequestLog(dataFolder)
  const ledger = await openLedger({
    dataFolder,
    onDiskFault: (reason) => {
      throw new Error(reason)
    },
  })
  for (let start = 0; start < size; start += BATCH_ROWS) {
    const rows = Array.from({ length: Math.min(BATCH_ROWS, size - start) }, (_row, offset) =>
      rowOf(start + offset),
    )
    const nowMs = rows.at(-1)?.ledger.endedAtMs ?? 0
    await Promise.all([
      requests.append(joinRows(rows.map(({ request }) => request))),
      ledger.commit(batchOf({ rows: rows.map((row) => row.ledger) })),
    ])
    while ((await ledger.maintain({ nowMs, keepMs: undefined, maxBytes: undefined })).hasMore);
  }
  await requests.close()
  await ledger.close()
}

const folder = process.env['FOLDER']
if (import.meta.main && folder !== undefined) {
  const startedMs = performance.now()
  await fillFolder(folder, DRAWN)
  if (DRAWN < SIZE) repeatRequests(folder, SIZE, Date.now())
  countRequests(folder)
  const seconds = ((performance.now() - startedMs) / 1_000).toFixed(0)
  const sizes = ['headgate.db', 'requests.db', 'ledger.db'].map(
    (name) => `${name} ${(statSync(join(folder, name)).size / 1e9).toFixed(2)} GB`,
  )
  process.stdout.write(`${SIZE} requests in ${seconds} s: ${sizes.join(', ')}\n`)
}
