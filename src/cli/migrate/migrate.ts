import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { type FolderMigration, type MigrationOrder, migrateFolder } from '../../app/nodes/migrate-folder.ts'
import { OperatorError } from '../../canonical/operator-error.ts'
import { databaseSchema, findUrlFault, readDatabase } from '../../config/database-schema.ts'
import { reasonOf } from '../../kit/errors/reason-of.ts'
import { systemClock } from '../../kit/time/clock.ts'
import type { CommandContext } from '../command-context.ts'
import { openExistingFolder } from '../open-existing-folder.ts'
import type { CommandIo } from '../output/command-io.ts'
import { runCommand } from '../output/run-command.ts'
import { writeJson } from '../output/write-json.ts'
import { askServer } from '../remote/reach-server.ts'

interface MigrateFlags {
  readonly from?: string
  readonly to?: string
  readonly schema?: string
  readonly caFile?: string
  readonly finish?: true
  readonly dryRun?: true
  readonly json?: true
}

export interface MigrateContext extends CommandContext {
  /** The address of the database and the secret, from the environment. */
  readonly environment: () => {
    readonly databaseUrl: string | undefined
    readonly secret: string | undefined
  }
}

/** Adds `headgate migrate`. On failure it prints the reason in one line and sets the exit code to 1. */
export function registerMigrateCommand(program: Command, context: MigrateContext): void {
  program
    .command('migrate')
    .description(
      'copy a data folder into PostgreSQL: its history while the gateway serves, the rest with --finish once it is stopped',
    )
    .option('--from <folder>', 'the data folder to copy (else the one that the server would use)')
    .option('--to <url>', 'the database to copy it into (else HEADGATE_DATABASE_URL)')
    .option('--schema <name>', 'the schema of the database (default headgate)')
    .option('--ca-file <file>', 'the authorities that the server of the database proves itself to')
    .option(
      '--finish',
      'copy what changed since and the small stores, and verify all of it; no gateway may run',
    )
    .option('--dry-run', 'check both sides and print what there is to copy; write nothing')
    .option('--json', 'print JSON')
    .action((flags: MigrateFlags) => runCommand(context.io, () => migrate(flags, context)))
}

async function migrate(flags: MigrateFlags, context: MigrateContext): Promise<void> {
  const { io } = context
  const dataFolder = resolve(flags.from ?? context.dataFolder())
  const settings = readTarget(flags, context)
  const step = stepOf(flags)
  const startedMs = systemClock.monotonicMs()
  const done = await migrateFolder({
    dataFolder,
    settings,
    step,
    secret: context.environment().secret,
    backUp: () => backUp(dataFolder, context),
    report: createReport(io),
  }).finally(() => io.showProgress?.(''))
  const tookMs = Math.round(systemClock.monotonicMs() - startedMs)
  const report = { dataFolder, database: settings.name, step, tookMs, done }
  io.write(flags.json === true ? writeJson(viewOf(report)) : describe(report))
}

function stepOf({ dryRun, finish }: MigrateFlags): MigrationOrder['step'] {
  if (dryRun === true) return 'plan'
  return finish === true ? 'finish' : 'history'
}

function readTarget({ to, schema, caFile }: MigrateFlags, { environment }: MigrateContext) {
  const url = to ?? environment().databaseUrl
  if (url === undefined)
    throw new OperatorError('option_invalid', 'no database is named', {
      advice:
        'give its address with --to, or as HEADGATE_DATABASE_URL, where no other user sees the password',
    })
  const fault = findUrlFault(url)
  if (fault !== undefined) throw new OperatorError('option_invalid', `the address of the database ${fault}`)
  const given = databaseSchema.safeParse(schema === undefined ? {} : { schema })
  if (!given.success)
    throw new OperatorError('option_invalid', `--schema ${given.error.issues[0]?.message ?? 'is invalid'}`)
  return readDatabase(url, given.data, caFile === undefined ? undefined : readAuthorities(caFile))
}

function readAuthorities(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (cause) {
    throw new OperatorError('file_unreadable', `${file}: ${reasonOf(cause)}`, { cause })
  }
}

/** Makes the running gateway write a backup, since only that gateway can read its databases. */
function backUp(dataFolder: string, context: MigrateContext) {
  return askServer(openExistingFolder(dataFolder), context, (_call, download) => download('/backup', 'POST'))
}

const SHOW_EVERY_MS = 200

function createReport({ showProgress }: Pick<CommandIo, 'showProgress'>): MigrationOrder['report'] {
  let shownMs = Number.NEGATIVE_INFINITY
  return (work, rows) => {
    const nowMs = systemClock.monotonicMs()
    if (rows !== undefined && nowMs - shownMs < SHOW_EVERY_MS) return
    shownMs = nowMs
    showProgress?.(`migrate: ${work}${rows === undefined ? '' : `, ${rows} rows`} …`)
  }
}

interface MigrationReport {
  readonly dataFolder: string
  readonly database: string
  readonly step: MigrationOrder['step']
  readonly tookMs: number
  readonly done: FolderMigration
}

const states = { plan: 'planned', history: 'history copied', finish: 'finished' } as const

function viewOf({ dataFolder, database, step, tookMs, done }: MigrationReport) {
  return {
    state: states[step],
    from: dataFolder,
    to: database,
    took_ms: tookMs,
    rows: done.rows,
    copied: { ledger: done.copied?.ledgerRows ?? 0, requests: done.copied?.requests ?? 0 },
    compared: done.compared ?? null,
  }
}

const MS_PER_SECOND = 1_000

function describe({ dataFolder, database, step, tookMs, done }: MigrationReport): string {
  const { rows, copied, compared, isSecretOfFile } = done
  const seconds = (tookMs / MS_PER_SECOND).toFixed(1)
  const history = `${copied?.ledgerRows ?? 0} rows of the ledger and ${copied?.requests ?? 0} of the request log`
  if (step === 'plan') {
    const list = Object.entries(rows).map(([table, count]) => `  ${table}: ${count}\n`)
    return `Nothing was written. To copy from ${dataFolder} to ${database}, rows by table:\n${list.join('')}`
  }
  if (step === 'history')
    return [
      `Copied ${history} from ${dataFolder} to ${database} in ${seconds} s.`,
      'The database cannot be used yet. Stop the gateway, then run the command again with --finish.\n',
    ].join('\n')
  const secret = isSecretOfFile
    ? `Set HEADGATE_SECRET on every node to the content of ${dataFolder}/secret. `
    : ''
  return [
    `Copied the last ${history}, and all else, from ${dataFolder} to ${database} in ${seconds} s.`,
    `${compared ?? 0} counts and sums were compared: all are equal. The database may be used.`,
    `${secret}The data folder is unchanged, so that the gateway can go back to it.\n`,
  ].join('\n')
}
