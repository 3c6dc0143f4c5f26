import { createLedgerOperations } from '../../admin/ledger/browse-ledger.ts'
import { createUsageOperations } from '../../admin/ledger/browse-usage.ts'
import {
  type LedgerOperations,
  ledgerCheckSchema,
  rowListSchema,
} from '../../admin/ledger/ledger-contract.ts'
import { type UsageOperations, usageReportSchema } from '../../admin/ledger/usage-contract.ts'
import { systemClock } from '../../kit/time/clock.ts'
import { HOUR_MS } from '../../kit/time/time-units.ts'
import type { CommandContext } from '../command-context.ts'
import { describeOffline, openExistingFolder } from '../open-existing-folder.ts'
import { runCommand } from '../output/run-command.ts'
import type { CallServer, DownloadFrom } from './call-server.ts'
import { askServer } from './reach-server.ts'
import { writeQuery } from './write-query.ts'

export interface ReachedLedger {
  readonly usage: UsageOperations
  readonly ledger: LedgerOperations
}

/** The timeout of a check, which reads every row. */
const VERIFY_TIMEOUT_MS = HOUR_MS

/**
 * Reads the running server's ledger, or the data folder's where no server runs. On failure it prints the reason in one
 * line and sets the exit code to 1.
 */
export async function withLedger(
  context: CommandContext,
  work: (reached: ReachedLedger) => Promise<void>,
): Promise<void> {
  await runCommand(context.io, async () => {
    const folder = context.dataFolder()
    const data = openExistingFolder(folder)
    const done = await askServer(data, context, async (call, download) => {
      await work(reachRemote(call, download))
      return true
    })
    if (done !== undefined) return
    context.io.writeError(describeOffline(folder))
    const { reader, close } = await data.openLedger()
    try {
      await work({
        usage: createUsageOperations(reader, systemClock),
        ledger: createLedgerOperations(reader, systemClock),
      })
    } finally {
      await close()
    }
  })
}

function reachRemote(call: CallServer, download: DownloadFrom): ReachedLedger {
  return {
    usage: {
      report: (query) => call({ method: 'GET', path: `/usage${writeQuery(query)}` }, usageReportSchema),
    },
    ledger: {
      list: (query) => call({ method: 'GET', path: `/ledger${writeQuery(query)}` }, rowListSchema),
      export: (query) => download(`/ledger/export${writeQuery(query)}`, 'GET'),
      verify: () =>
        call({ method: 'POST', path: '/ledger/verify', timeoutMs: VERIFY_TIMEOUT_MS }, ledgerCheckSchema),
    },
  }
}
