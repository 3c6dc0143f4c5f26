import { createReadStream, createWriteStream, existsSync, renameSync, rmSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Command } from 'commander'
import {
  addSecrets,
  type BackupManifest,
  backUpFolder,
  DamagedBackupError,
  type RestoredBackup,
  restoreBackup,
  verifyBackup,
} from '../app/data-folder-backup.ts'
import type { SharedMark } from '../app/open-data-folder.ts'
import { innerReasonOf } from '../canonical/failure.ts'
import { OperatorError } from '../canonical/operator-error.ts'
import type { OperatorErrorCode } from '../canonical/operator-errors.ts'
import { systemClock } from '../kit/time/clock.ts'
import type { CommandContext } from './command-context.ts'
import { findSharedDatabase, openExistingFolder } from './open-existing-folder.ts'
import type { CommandIo } from './output/command-io.ts'
import { createWarningWriter } from './output/create-warning-writer.ts'
import { runCommand } from './output/run-command.ts'
import { openUnfinished } from './output/save-file.ts'
import { showProgress } from './output/show-progress.ts'
import { writeJson } from './output/write-json.ts'
import { askServer } from './remote/reach-server.ts'

interface BackupFlags {
  readonly secrets: boolean
  readonly json?: true
}

interface RestoreFlags {
  readonly replace?: true
  readonly json?: true
}

/**
 * Adds `headgate backup` and `headgate restore`. On failure each prints the reason in one line and sets the exit code
 * to 1.
 */
export function registerBackupCommands(program: Command, context: CommandContext, version: string): void {
  program
    .command('backup')
    .description(
      'copy the databases, prices and secrets of the data folder into one file, while the server runs or not',
    )
    .argument('<file>', 'the file to write; it must not exist')
    .option(
      '--without-secrets',
      'leave out the secret files: back them up yourself, no key works without them',
    )
    .option('--json', 'print JSON')
    .action((file: string, flags: Omit<BackupFlags, 'secrets'> & { readonly withoutSecrets?: true }) =>
      runCommand(context.io, () =>
        backUp(file, { ...flags, secrets: flags.withoutSecrets !== true }, { context, version }),
      ),
    )
  program
    .command('restore')
    .description('restore a backup into the data folder; no server may run on it')
    .argument('<file>', 'a file written by "headgate backup"')
    .option('--replace', 'first move the content of the data folder into a folder next to it')
    .option('--json', 'print JSON')
    .action((file: string, flags: RestoreFlags) =>
      runCommand(context.io, () => restore(file, flags, context)),
    )
}

interface BackupContext {
  readonly context: CommandContext
  readonly version: string
}

async function backUp(
  file: string,
  { secrets, json }: BackupFlags,
  { context, version }: BackupContext,
): Promise<void> {
  const { io } = context
  const path = resolve(file)
  if (existsSync(path)) throw new OperatorError('file_exists', `${path} exists already`)
  const input = { dataFolder: resolve(context.dataFolder()), version, clock: systemClock }
  refuseShared(input.dataFolder, adviseDump)
  const data = openExistingFolder(input.dataFolder)
  const byServer = await askServer(data, context, async (_call, download) => {
    const bytes = await download('/backup', 'POST')
    return { bytes: secrets ? addSecrets(bytes, input) : bytes }
  })
  const bytes = byServer?.bytes ?? (await backUpFolder(input, secrets))
  const manifest = await save(path, showProgress(bytes, { io, work: 'backup', clock: systemClock }))
  for (const { name, reason } of manifest.omitted)
    createWarningWriter(io)(`${name} is not in the backup: ${reason}`)
  const files = manifest.files.map(({ name }) => name)
  if (json)
    return io.write(writeJson({ file: path, by: byServer === undefined ? 'command' : 'server', ...manifest }))
  const by = byServer === undefined ? 'no server runs on it' : 'its server runs on'
  io.write(`${path}: ${files.join(', ')} of ${input.dataFolder} (${by})\n`)
}

const DEFAULT_SCHEMA = 'headgate'

function adviseDump({ schema }: SharedMark): string {
  const dump = `pg_dump --format=custom --schema=${schema ?? DEFAULT_SCHEMA} --file=headgate.dump "$HEADGATE_DATABASE_URL"`
  const other = schema === undefined ? ' (where the configuration has a database.schema, name that one)' : ''
  return `copy it by: ${dump}${other}; restore it by: pg_restore --dbname="$OTHER_DATABASE_URL" headgate.dump; and keep HEADGATE_SECRET, without which no key in it works`
}

const RESTORE_ADVICE =
  'to go back to a data folder, restore into one that no node has used: name it with --data, and leave HEADGATE_DATABASE_URL out; a dump is restored by: pg_restore --dbname="$HEADGATE_DATABASE_URL" headgate.dump'

/**
 * Refuses a shared database, which is copied with its own tools. All other secrets are in that database, sealed with
 * the environment's secret.
 */
function refuseShared(dataFolder: string, advise: (database: SharedMark) => string): void {
  const database = findSharedDatabase(dataFolder)
  if (database === undefined) return
  throw new OperatorError('not_with_postgres', `the installation is in the database ${database.name}`, {
    advice: advise(database),
  })
}

/**
 * Writes a file that only its owner can read. The file gets its name only once it is complete, durable and verified.
 */
async function save(path: string, bytes: AsyncIterable<Buffer>): Promise<BackupManifest> {
  const unfinished = `${path}.unfinished`
  const file = openUnfinished(unfinished)
  try {
    await pipeline(bytes, createWriteStream(unfinished, { fd: file, flush: true }))
    const manifest = await verifyBackup(createReadStream(unfinished))
    renameSync(unfinished, path)
    return manifest
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw explain(`${path} was not written`, error, 'backup_failed')
  }
}

async function restore(
  file: string,
  { replace, json }: RestoreFlags,
  context: CommandContext,
): Promise<void> {
  const dataFolder = resolve(context.dataFolder())
  refuseShared(dataFolder, () => RESTORE_ADVICE)
  const { io } = context
  const done = await restoreFrom({ path: resolve(file), dataFolder }, io, (bytes) =>
    restoreBackup({ dataFolder, bytes, mayReplace: replace === true, nowMs: systemClock.nowMs() }),
  )
  if (!done.hasPepper) {
    createWarningWriter(io)(
      `the backup was made without secrets, and the data folder has none: put its pepper, secret and admin-token there before you start, as no stored key works without them`,
    )
  }
  const { manifest, restored, movedTo } = done
  if (json) {
    const { created_at, headgate } = manifest
    return io.write(
      writeJson({ data: dataFolder, restored, created_at, headgate, moved_to: movedTo ?? null }),
    )
  }
  const moved = movedTo === undefined ? '' : `What was there before is in ${movedTo}.\n`
  io.write(`${dataFolder}: restored ${restored.join(', ')} as of ${manifest.created_at}\n${moved}`)
}

async function restoreFrom(
  { path, dataFolder }: { readonly path: string; readonly dataFolder: string },
  io: Pick<CommandIo, 'showProgress'>,
  work: (bytes: AsyncIterable<Buffer>) => Promise<RestoredBackup>,
): Promise<RestoredBackup> {
  try {
    const totalBytes = statSync(path).size
    return await work(
      showProgress(createReadStream(path), { io, work: 'restore', totalBytes, clock: systemClock }),
    )
  } catch (error) {
    throw explain(`${path} was not restored into ${dataFolder}`, error, 'restore_failed')
  }
}

/** Explains what failed and why. The code is that of the reason, where the reason has one. */
function explain(outcome: string, error: unknown, code: OperatorErrorCode): OperatorError {
  if (error instanceof OperatorError) {
    const { advice } = error
    return new OperatorError(error.code, `${outcome}: ${error.happened}`, { advice, cause: error })
  }
  if (error instanceof DamagedBackupError)
    return new OperatorError('backup_damaged', `${outcome}: ${error.message}`, { cause: error })
  return new OperatorError(code, `${outcome}: ${innerReasonOf(error)}`, { cause: error })
}
