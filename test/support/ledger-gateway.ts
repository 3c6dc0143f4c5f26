import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LedgerRow } from '../../src/metering/ledger-row.ts'
import { openLedger } from '../../src/storage/ledger/open-ledger.ts'
import { type AskAdmin, createAskAdmin } from './ask-admin.ts'
import { batchOf } from './ledger-row.ts'
import { type StartedGateway, startGateway } from './start-gateway.ts'

const demo = 'channels: [{ name: demo, provider: demo }]\n'

export interface LedgerGateway extends StartedGateway {
  readonly admin: AskAdmin
}

/** A gateway whose ledger has these rows from before its start, those of hours that are over in blocks. */
export async function startGatewayWithRows(
  rows: readonly LedgerRow[],
  sealedAtMs: number,
): Promise<LedgerGateway> {
  const folder = mkdtempSync(join(tmpdir(), 'headgate-ledger-'))
  const ledger = await openLedger({ dataFolder: join(folder, 'data'), onDiskFault: failHard })
  await ledger.commit(batchOf({ rows }))
  while ((await ledger.maintain({ nowMs: sealedAtMs, keepMs: undefined, maxBytes: undefined })).hasMore);
  await ledger.close()
  const gateway = await startGateway(demo, folder)
  return {
    ...gateway,
    admin: createAskAdmin(gateway.url),
    async [Symbol.asyncDispose]() {
      await gateway[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function failHard(reason: string): never {
  throw new Error(reason)
}
