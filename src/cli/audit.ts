import type { Command } from 'commander'
import { type AuditEntryView, type AuditOperations, auditListSchema } from '../admin/audit/audit-contract.ts'
import { createAuditOperations } from '../admin/audit/browse-audit.ts'
import type { AuditAction } from '../canonical/audit.ts'
import type { CommandContext } from './command-context.ts'
import { describeOffline, openExistingFolder } from './open-existing-folder.ts'
import { runCommand } from './output/run-command.ts'
import { writeJson } from './output/write-json.ts'
import { type TableColumn, writeTable } from './output/write-table.ts'
import { writeUtcTime } from './output/write-utc-time.ts'
import type { CallServer } from './remote/call-server.ts'
import { askServer } from './remote/reach-server.ts'
import { writeQuery } from './remote/write-query.ts'

interface AuditOptions {
  readonly limit?: string
  readonly before?: string
  readonly author?: string
  readonly action?: AuditAction
  readonly json?: true
}

/** Adds `headgate audit`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerAuditCommand(program: Command, context: CommandContext): void {
  program
    .command('audit')
    .description('list changes of keys and configuration, newest first: who, what, when, from where')
    .option('--limit <count>', 'number of records, at most 1000 (default 50)')
    .option('--before <number>', 'only records before this number')
    .option('--author <name>', 'only what this author did')
    .option('--action <action>', 'only this action, such as key.create')
    .option('--json', 'print JSON')
    .action((options: AuditOptions) => runCommand(context.io, () => showAudit(options, context)))
}

const columns: readonly TableColumn<AuditEntryView>[] = [
  ['NUMBER', ({ number }) => String(number)],
  ['WHEN (UTC)', ({ at }) => writeUtcTime(at)],
  ['WHO', ({ author }) => author],
  ['CREDENTIAL', ({ credential }) => credential],
  ['FROM', ({ address }) => address],
  ['WHAT', ({ action }) => action],
  ['TO', ({ subject }) => subject],
  ['DETAILS', ({ details }) => details.join('; ')],
]

async function showAudit({ json, ...query }: AuditOptions, context: CommandContext): Promise<void> {
  const list = await readAudit(context, (audit) => audit.list(query))
  context.io.write(json ? writeJson(list) : writeTable(columns, list.data))
}

/** Reads the audit through the running server. Without a server, reads it from the data folder. */
async function readAudit<Result>(
  context: CommandContext,
  read: (audit: AuditOperations) => Promise<Result>,
): Promise<Result> {
  const folder = context.dataFolder()
  const data = openExistingFolder(folder)
  const byServer = await askServer(data, context, async (call) => ({
    result: await read(createRemoteAudit(call)),
  }))
  if (byServer !== undefined) return byServer.result
  const keys = await data.openKeys(undefined)
  context.io.writeError(describeOffline(folder))
  try {
    return await read(createAuditOperations(keys.audit))
  } finally {
    await keys.close()
  }
}

function createRemoteAudit(call: CallServer): AuditOperations {
  return {
    list: (page) => call({ method: 'GET', path: `/audit${writeQuery(page)}` }, auditListSchema),
  }
}
